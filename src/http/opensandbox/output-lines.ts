import { httpLimits } from "../limits.ts"
import type { CommandEvent } from "./event-stream.ts"

export interface OutputLines {
  /** The events of the lines that are complete now. */
  add(bytes: Uint8Array): readonly CommandEvent[]
  /** The rest, which has no line end. */
  end(): readonly CommandEvent[]
}

/** OpenSandbox's clients get output line by line, without line ends; an empty line is one line end. */
export function createOutputLines(type: "stdout" | "stderr"): OutputLines {
  const decoder = new TextDecoder()
  let rest = ""
  const event = (line: string): CommandEvent => ({ type, text: line === "" ? "\n" : line })
  return {
    add(bytes) {
      const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n")
      rest = lines.pop() ?? ""
      const events = lines.map(event)
      if (rest.length < httpLimits.apiLineCharacters) return events
      const long = event(rest)
      rest = ""
      return [...events, long]
    },
    end() {
      const last = rest + decoder.decode()
      rest = ""
      return last === "" ? [] : [event(last)]
    },
  }
}
