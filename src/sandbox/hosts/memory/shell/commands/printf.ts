import type { Command } from "just-bash"
import { textOfBytes } from "../byte-text.ts"
import { refused } from "./answer.ts"

const byteEscape = /\\(?:x([0-9a-fA-F]{1,2})|([0-7]{1,3}))/g
/** A run of them, so that the bytes of one character stay together; `\\` is no start of one. */
const byteEscapes = /\\\\|(?:\\(?:x[0-9a-fA-F]{1,2}|[0-7]{1,3}))+/g

/** The shell's own printf takes `\351` for the character é instead of the byte, and does not know `\xf`. */
export const printf: Command = {
  name: "printf",
  trusted: false,
  async execute(parameters, context) {
    const format = parameters[0] === "-v" ? 2 : parameters[0] === "--" ? 1 : 0
    const spelled = parameters.map((text, at) => (at === format ? spellBytes(text) : text))
    const answer = await context.origCommand?.(spelled)
    return answer ?? refused("printf: not available")
  },
}

function spellBytes(format: string): string {
  return format.replace(byteEscapes, (run) => (run === "\\\\" ? run : spellRun(run)))
}

function spellRun(run: string): string {
  let spelled = ""
  let bytes: number[] = []
  for (const [, hexadecimal, octal = ""] of run.matchAll(byteEscape)) {
    const byte = (hexadecimal ? Number.parseInt(hexadecimal, 16) : Number.parseInt(octal, 8)) & 0xff
    if (byte >= 0x80) {
      bytes.push(byte)
      continue
    }
    // Stays an escape: what it stands for may mean something to printf.
    spelled += `${textOfBytes(Uint8Array.from(bytes))}\\${byte.toString(8).padStart(3, "0")}`
    bytes = []
  }
  return spelled + textOfBytes(Uint8Array.from(bytes))
}
