import { textOfBytes } from "../byte-text.ts"
import { command, original, printed } from "./command.ts"

const escapes =
  /\\(?:([abceEfnrtv\\])|0([0-7]{0,3})|x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8}))/g

const characters: Readonly<Record<string, string>> = {
  a: "\x07",
  b: "\b",
  e: "\x1b",
  E: "\x1b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  "\\": "\\",
}

/** The shell's own echo takes `\xe9` for the character é instead of the byte. */
export const echo = command("echo", async (parameters, context) => {
  const first = parameters.findIndex((parameter) => !/^-[neE]+$/.test(parameter))
  const words = parameters.slice(first < 0 ? parameters.length : first)
  const flags = parameters.slice(0, parameters.length - words.length).join("")
  const reads = /[eE]/.test(flags)
    ? flags.lastIndexOf("e") > flags.lastIndexOf("E")
    : context.xpgEcho
  const text = words.join(" ")
  const { shown, stopped } = reads ? readEscapes(text) : { shown: text, stopped: false }
  return printed(flags.includes("n") || stopped ? shown : `${shown}\n`)
})

/** `\c` stops the output. */
function readEscapes(text: string): { shown: string; stopped: boolean } {
  let shown = ""
  let start = 0
  for (const match of text.matchAll(escapes)) {
    shown += text.slice(start, match.index)
    if (match[1] === "c") return { shown, stopped: true }
    shown += meaningOf(match)
    start = match.index + match[0].length
  }
  return { shown: shown + text.slice(start), stopped: false }
}

function meaningOf([, letter, octal, hexadecimal, short, long]: RegExpExecArray): string {
  if (letter !== undefined) return characters[letter] ?? ""
  if (octal !== undefined) return escapedByte(Number.parseInt(octal || "0", 8))
  if (hexadecimal !== undefined) return escapedByte(Number.parseInt(hexadecimal, 16))
  const point = Number.parseInt(short ?? long ?? "", 16)
  return point > 0x10ffff ? "\ufffd" : String.fromCodePoint(point)
}

/** Bytes of one character are put together when all is encoded. */
function escapedByte(value: number): string {
  return textOfBytes(Uint8Array.of(value & 0xff))
}

const byteEscape = /\\(?:x([0-9a-fA-F]{1,2})|([0-7]{1,3}))/g
/** A run of them, so that the bytes of one character stay together; `\\` does not start one. */
const byteEscapes = /\\\\|(?:\\(?:x[0-9a-fA-F]{1,2}|[0-7]{1,3}))+/g

/** The shell's own printf takes `\351` for the character é instead of the byte, and does not know `\xf`. */
export const printf = command("printf", async (parameters, context) => {
  const format = parameters[0] === "-v" ? 2 : parameters[0] === "--" ? 1 : 0
  const spell = (text: string) =>
    text.replace(byteEscapes, (run) => (run === "\\\\" ? run : spellRun(run)))
  return original(
    context,
    parameters.map((text, at) => (at === format ? spell(text) : text)),
  )
})

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
