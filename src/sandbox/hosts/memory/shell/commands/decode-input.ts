import {
  type Command,
  decodeBytesToUtf8,
  type ResolvedCommandContext,
  unsafeBytesFromLatin1,
} from "just-bash"
import { decodeCommand } from "../syntax/decode-input.ts"
import { refused } from "./answer.ts"

/** `STATUS text NAME…` or `STATUS array NAME INDEX… VALUE…`: ends with the given status. */
export const decodeInputCommand: Command = {
  name: decodeCommand,
  trusted: false,
  async execute([status, kind, ...rest], context) {
    if (kind === "text") for (const name of rest) await decodeVariable(name, context)
    else if (kind === "array") await decodeArray(rest, context)
    else return refused(`${decodeCommand}: for the shell's own use`, 127)
    return { stdout: "", stderr: "", exitCode: Number(status) }
  },
}

async function decodeVariable(name: string, context: ResolvedCommandContext): Promise<void> {
  const value = context.env.get(name)
  const text = value === undefined ? undefined : decode(value)
  if (text !== undefined && text !== value) await context.assignShellVariable?.(name, text)
}

async function decodeArray(words: string[], context: ResolvedCommandContext): Promise<void> {
  const [name = "", ...rest] = words
  const count = rest.length / 2
  for (let at = 0; at < count; at += 1) {
    const value = rest[count + at] ?? ""
    const text = decode(value)
    if (text !== value) await context.assignShellVariable?.(name, text, rest[at])
  }
}

function decode(value: string): string {
  return decodeBytesToUtf8(unsafeBytesFromLatin1(value))
}
