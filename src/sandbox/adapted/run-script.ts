import { quoteArguments, withAbort } from "../../kit/index.ts"
import { failureFrom } from "../agent/files/file-operations.ts"
import type { OperationControl } from "../host/operation.ts"
import type { SandboxApi } from "./adapt-sandbox.ts"

/** A short script for any POSIX shell, with paths as its arguments; the first is for the error. */
export async function runScript(
  api: SandboxApi,
  script: string,
  {
    paths,
    control,
  }: { readonly paths: readonly [string, ...string[]]; readonly control: OperationControl },
): Promise<string> {
  const { signal } = control
  signal.throwIfAborted()
  const running = api.exec(`set -- ${quoteArguments(paths)}\n${script}`, {
    cwd: "/",
    env: { LC_ALL: "C" },
    stdin: new Uint8Array(),
    timeoutMs: null,
    signal,
    onOutput: () => {},
  })
  try {
    // The second channel is for providers that can cancel; the others are left behind.
    const { exitCode, stdout, stderr } = await withAbort(running, signal)
    if (exitCode !== 0) throw failureFrom(textOf(stderr), paths[0])
    return textOf(stdout)
  } catch (error) {
    // A provider says in words of its own that it was cancelled.
    signal.throwIfAborted()
    throw error
  }
}

function textOf(output: string | Uint8Array): string {
  return typeof output === "string" ? output : new TextDecoder().decode(output)
}
