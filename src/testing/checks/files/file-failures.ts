import type { Workspace } from "../../../contract/index.ts"
import type { WorkspaceErrorCode } from "../../../sandbox/index.ts"
import { defineChecks, type Measure, when } from "../../measure/conformance-check.ts"
import { requireEqual, requireRefusal } from "../../measure/require.ts"

type Attempt = (workspace: Workspace) => Promise<unknown>

/** A check that each attempt fails with this code, where `file.txt` and `directory` exist. */
function refusals(code: WorkspaceErrorCode, attempts: Readonly<Record<string, Attempt>>): Measure {
  return async ({ workspace }) => {
    await workspace.writeFile("file.txt", "content")
    await workspace.writeFile("directory/child.txt", "child")
    for (const [what, attempt] of Object.entries(attempts)) {
      await requireRefusal(what, attempt(workspace), code)
    }
    requireEqual("file.txt afterwards", await workspace.readFile("file.txt"), "content")
    return `${Object.keys(attempts).join(", ")}: ${code}`
  }
}

const fileFailuresPromises = {
  missing: "what does not exist fails as not-found",
  "read-directory": "reading a directory as a file fails as is-directory",
  "write-directory": "writing over a directory fails as is-directory",
  "list-file": "listing a file fails as not-directory",
  "below-file": "a path below a file fails as not-directory",
  "special-file": "reading or writing a named pipe fails as not-file instead of hanging",
  messages: "a failure names the path that it is about",
}

export const fileFailures = defineChecks("file-failures", fileFailuresPromises, {
  missing: refusals("not-found", {
    "reading a missing file": (workspace) => workspace.readFile("missing.txt"),
    "reading in a missing directory": (workspace) => workspace.readFile("missing/file.txt"),
    "stat of a missing file": (workspace) => workspace.stat("missing.txt"),
    "listing a missing directory": (workspace) => workspace.readdir("missing"),
  }),
  "read-directory": refusals("is-directory", {
    "reading a directory": (workspace) => workspace.readFile("directory"),
    "reading a range of a directory": (workspace) =>
      workspace.readFileBuffer("directory", { offset: 0, length: 1 }),
    "reading the home": (workspace) => workspace.readFile("."),
  }),
  "write-directory": refusals("is-directory", {
    "writing over a directory": (workspace) => workspace.writeFile("directory", "x"),
    "appending to a directory": (workspace) =>
      workspace.writeFile("directory", "x", { append: true }),
  }),
  "list-file": refusals("not-directory", {
    "listing a file": (workspace) => workspace.readdir("file.txt"),
  }),
  "below-file": refusals("not-directory", {
    "reading below a file": (workspace) => workspace.readFile("file.txt/child"),
    "writing below a file": (workspace) => workspace.writeFile("file.txt/child", "x"),
    "writing deep below a file": (workspace) => workspace.writeFile("file.txt/a/b", "x"),
    "appending below a file": (workspace) =>
      workspace.writeFile("file.txt/child", "x", { append: true }),
    "stat below a file": (workspace) => workspace.stat("file.txt/child"),
    "listing below a file": (workspace) => workspace.readdir("file.txt/child"),
  }),
  "special-file": when(
    "background",
    refusals("not-file", {
      "reading a named pipe": async (workspace) => {
        await workspace.exec("mkfifo pipe")
        return workspace.readFile("pipe")
      },
      "writing to a named pipe": (workspace) => workspace.writeFile("pipe", "x"),
      "appending to a named pipe": (workspace) =>
        workspace.writeFile("pipe", "x", { append: true }),
    }),
  ),
  async messages({ workspace, sandbox }) {
    const error = await workspace.readFile("some/missing.txt").catch((reason: unknown) => reason)
    const message = error instanceof Error ? error.message : String(error)
    requireEqual(
      "that the message names it",
      message.includes(`${sandbox.home}/some/missing.txt`),
      true,
    )
    return message
  },
})
