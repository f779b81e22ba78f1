import { ToolFailure } from "../../contract/index.ts"
import { lentFirst } from "../agent/require-programs.ts"
import type { Dispatcher } from "../dispatcher.ts"
import { quoteArguments } from "../quote-arguments.ts"

/** What the regular files of a tree hold; one that has several names counts once. */
export async function countFiles(
  { dispatcher, path }: { readonly dispatcher: Dispatcher; readonly path: string },
  signal: AbortSignal,
): Promise<number> {
  const seen = new Set<string>()
  let bytes = 0
  let rest = ""
  const take = (line: string) => {
    const [names, inode = "", size] = line.split(" ")
    if (names !== "1" && seen.has(inode)) return
    if (names !== "1") seen.add(inode)
    bytes += Number(size)
  }
  const { exitCode, stderr } = await dispatcher.dispatch<"command.run">(
    {
      kind: "command.run",
      command: `${lentFirst}\nexec find -H ${quoteArguments([path])} -type f -printf '%n %i %s\\n'`,
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
      },
    },
  )
  if (exitCode === 0) return bytes
  const reason = new TextDecoder().decode(stderr.head).trim().slice(0, 200)
  throw new ToolFailure({
    kind: "execution_error",
    message: `${JSON.stringify(path)} could not be read whole: ${reason}`,
  })
}
