import type { Command } from "just-bash"
import { textOfBytes } from "../byte-text.ts"
import { printed, refused } from "./answer.ts"

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
export const echo: Command = {
  name: "echo",
  trusted: false,
  async execute(parameters, context) {
    let words = 0
    let newline = true
    let reads = context.xpgEcho ?? false
    for (; /^-[neE]+$/.test(parameters[words] ?? ""); words += 1) {
      const flags = parameters[words] ?? ""
      if (flags.includes("n")) newline = false
      if (/[eE]/.test(flags)) reads = flags.lastIndexOf("e") > flags.lastIndexOf("E")
    }
    const text = parameters.slice(words).join(" ")
    if (!reads) return printed(newline ? `${text}\n` : text)
    const { shown, stopped } = readEscapes(text)
    return printed(newline && !stopped ? `${shown}\n` : shown)
  },
}

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
