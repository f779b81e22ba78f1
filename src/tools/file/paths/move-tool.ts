import {
  defineTool,
  flag,
  isInside,
  object,
  requirePath,
  type ToolFailure,
  text,
  type Workspace,
} from "../../../contract/index.ts"
import { trimEndOf } from "../../../kit/index.ts"
import { WorkspaceError } from "../../../sandbox/index.ts"
import { invalidArgument, namedSandbox, sandboxArgument } from "../../arguments.ts"
import { readLink } from "./info-tool.ts"

/** file.move: another name or another place for a file or a directory. */
export function moveTool() {
  return defineTool({
    name: "file.move",
    title: "Move or rename",
    description:
      "Moves or renames a file or directory. " +
      'Example: {"from": "draft.md", "to": "notes/final.md"}.',
    input: object({
      from: text("A file, link or directory."),
      to: text("Its whole new path; directories are created."),
      overwrite: flag("Replace a file that is there; never a directory."),
      "sandbox?": sandboxArgument,
    }),
    output: object({
      kind: { const: "move" },
      from: { type: "string" },
      to: { type: "string" },
      overwritten: { type: "boolean" },
    }),
    groups: ["fs"],
    effects: ["write"],
    pathArguments: ["from", "to"],
    paths: ({ from, to }) => [
      { path: from, mode: "write" },
      { path: to, mode: "write" },
    ],
    sandbox: namedSandbox,
    async run({ from, to, overwrite }, context) {
      const { signal } = context
      const workspace = await context.workspace()
      const source = requirePath(from, workspace, "from")
      const target = requirePath(to, workspace, "to")
      if (isInside(source, target)) throw refused(intoItself(source, target), "another path")
      const found = await typeAt(workspace, target, signal)
      if (found === "directory") throw isDirectory(to)
      if (found !== null && !overwrite) {
        throw refused(
          `${JSON.stringify(to)} already exists; set overwrite to true to replace it.`,
          "a path where nothing is, or overwrite",
        )
      }
      await workspace.rename(source, target, { signal })
      return { kind: "move", from, to, overwritten: found !== null }
    },
    show: ({ from, to, overwritten }) =>
      `Moved ${from} to ${to}${overwritten ? ", in place of what was there" : ""}.`,
  })
}

/** What is at a path; a link that leads nowhere, or out of the workspace, counts as something. */
async function typeAt(
  workspace: Workspace,
  path: string,
  signal: AbortSignal,
): Promise<"directory" | "something" | null> {
  if ((await readLink(workspace, path, signal)) !== null) return "something"
  try {
    const { type } = await workspace.stat(path, { signal })
    return type === "directory" ? "directory" : "something"
  } catch (error) {
    if (error instanceof WorkspaceError && error.code === "not-found") return null
    throw error
  }
}

function intoItself(source: string, target: string): string {
  return source === target
    ? "The new path is the old one, so nothing would move."
    : "A directory can't be moved into itself."
}

function isDirectory(to: string): ToolFailure {
  const example = JSON.stringify(`${trimEndOf(to, "/")}/name`)
  return refused(
    `${JSON.stringify(to)} is a directory, which is never replaced.`,
    `a path in it, such as ${example}`,
  )
}

function refused(message: string, expected: string): ToolFailure {
  return invalidArgument("to", message, expected)
}
