import { ToolFailure } from "../../../contract/index.ts"

/** As far as it has come. */
const number = /^\d{1,10}\n?$/

/** Takes the first line of a command's output, which is its number, and leaves the rest. */
export function readPid(found: (pid: number) => void) {
  let line: string | null = ""
  return {
    /** What the command itself has printed. */
    strip(bytes: Uint8Array): Uint8Array {
      if (line === null) return bytes
      const end = bytes.indexOf(0x0a) + 1
      line += Buffer.from(bytes.subarray(0, end === 0 ? bytes.length : end)).toString("latin1")
      // Every command inside can write there as well.
      if (!number.test(line)) throw notStarted()
      if (end === 0) return bytes.subarray(bytes.length)
      const pid = Number(line)
      line = null
      found(pid)
      return bytes.subarray(end)
    },
  }
}

function notStarted(): ToolFailure {
  const message = "The process could not be started: another command wrote in its place."
  return new ToolFailure({ kind: "execution_error", message })
}
