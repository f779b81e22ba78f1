import type { RouteAnswer } from "../../api/index.ts"
import type { Workspace } from "../../contract/index.ts"
import { httpLimits } from "../limits.ts"

interface Asked {
  readonly process: string
  /** From this byte on; the end of what there is when absent. */
  readonly after?: number | undefined
  readonly signal: AbortSignal
}

/** What a background process has written since the last look. */
export async function readProcessOutput(
  { processes, stat }: Workspace,
  { process, after, signal }: Asked,
): Promise<Pick<RouteAnswer<"processes.output">, "text" | "from" | "next">> {
  const most = httpLimits.processOutputBytes
  const { logFile } = await processes.status(process)
  const from = after ?? Math.max(0, (await stat(logFile, { signal })).size - most)
  const { bytes } = await processes.output(process, { offset: from, length: most, signal })
  const whole = bytes.subarray(0, wholeCharacters(bytes))
  return { text: new TextDecoder().decode(whole), from, next: from + whole.length }
}

/** The rest of a character that is cut off comes with the next piece; what is not UTF-8 is not waited for. */
function wholeCharacters(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0
    if (byte < 0x80) break
    if (byte < 0xc0) continue
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2
    return length > back ? bytes.length - back : bytes.length
  }
  return bytes.length
}
