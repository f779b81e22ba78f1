import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it, onTestFinished } from "vitest"
import { WorkspaceError } from "../host/workspace-error.ts"
import type { OpenSandbox } from "../workspace/create-workspace.ts"
import { throughPipe } from "./through-pipe.ts"

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

/** A side of a transfer whose every operation ends as it is told to. */
function side(pipes: string, operations: Readonly<Record<string, () => Promise<unknown>>>) {
  const perform = ({ kind }: { readonly kind: string }) => operations[kind]?.()
  return { path: "x", sandbox: { pipes, perform } as unknown as OpenSandbox }
}

const counted = async () => ({ exitCode: 0, stderr: { head: new Uint8Array() } })
const fails = (code: "failed" | "is-directory", text: string) => async () => {
  throw new WorkspaceError(code, "x", { cause: new Error(text) })
}

it.each([
  ["a target that refuses is the reason", "tar: -: Cannot write: Broken pipe", "is-directory"],
  ["and so it is where tar was ended without a word", "", "is-directory"],
  ["a source that can't be read is the reason", "tar: y: Cannot open", "failed"],
])("C9: %s, whoever of the two is heard first", async (_, said, reason) => {
  const pipes = await mkdtemp(join(tmpdir(), "toolkeep-pipes-"))
  onTestFinished(() => rm(pipes, { recursive: true }))
  const from = side(pipes, { "tree.export": fails("failed", said), "command.run": counted })
  const refuse = fails("is-directory", "Is a directory")
  const to = side(pipes, { "tree.import": () => pause(50).then(refuse) })
  const { signal } = new AbortController()
  await expect(throughPipe({ from, to, as: "file", signal })).rejects.toMatchObject({
    code: reason,
  })
})
