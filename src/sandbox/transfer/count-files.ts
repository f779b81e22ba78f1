import { ToolFailure } from "../../contract/index.ts"
import { quoteArguments } from "../../kit/index.ts"
import { injectedFirst } from "../agent/commands/require-programs.ts"
import { sandboxLimits } from "../limits.ts"
import type { OpenSandbox } from "../workspace/create-workspace.ts"

/** Three numbers. Every command inside can write between these lines; a longer line is not stored, and fails the count. */
const lineCharacters = 64

/** What the regular files of a tree hold; one that has several names counts once. */
export async function countFiles(
  { sandbox, path }: { readonly sandbox: OpenSandbox; readonly path: string },
  signal: AbortSignal,
): Promise<number> {
  const seen = new Set<string>()
  let files = 0
  let bytes = 0
  let rest = ""
  const take = (line: string) => {
    files += 1
    if (line.length > lineCharacters || files > sandboxLimits.files) throw notCounted(path)
    const [names, inode = "", size] = line.split(" ")
    if (names !== "1" && seen.has(inode)) return
    if (names !== "1") seen.add(inode)
    bytes += Number(size)
  }
  const { exitCode, stderr } = await sandbox.perform<"command.run">(
    {
      kind: "command.run",
      command: `${injectedFirst}\nexec find -H ${quoteArguments([path])} -type f -printf '%n %i %s\\n'`,
      cwd: "/",
      env: { LC_ALL: "C" },
      stdin: new Uint8Array(),
      timeoutMs: null,
      idleTimeoutMs: null,
      maxOutputBytes: 4096,
    },
    {
      signal,
      onOutput: ({ stream, bytes: part }) => {
        if (stream !== "stdout") return
        const lines = (rest + Buffer.from(part).toString("latin1")).split("\n")
        rest = lines.pop() ?? ""
        for (const line of lines) take(line)
        if (rest.length > lineCharacters) throw notCounted(path)
      },
    },
  )
  signal.throwIfAborted()
  if (exitCode === 0) return bytes
  const reason = new TextDecoder().decode(stderr.head).trim().slice(0, 200)
  throw new ToolFailure({
    kind: "execution_error",
    message: `${JSON.stringify(path)} could not be read whole: ${reason}`,
  })
}

function notCounted(path: string): ToolFailure {
  return new ToolFailure({
    kind: "execution_error",
    message: `The files in ${JSON.stringify(path)} could not be counted: there are more than ${sandboxLimits.files}, or a command in the sandbox disturbs it.`,
    retryable: false,
  })
}
