import { parseArgs } from "node:util"
import {
  decodeBytesToUtf8,
  type PipelineNode,
  parse,
  type ResolvedCommandContext,
  type SimpleCommandNode,
  type StatementNode,
  unsafeBytesFromLatin1,
} from "just-bash"
import { command, refused } from "../commands/command.ts"

/** The command that is put behind `read` and `mapfile`. */
const decodeCommand = "__decode_input"

/**
 * `read` and `mapfile` put bytes into variables where the shell has text everywhere else, so "é"
 * would be two characters. Behind each of them comes a command that makes text of the bytes:
 * `read a || b` becomes `read a && decode 0 a || decode $? a || b`, which ends with the same status.
 */
export function decodeAfterReading(statement: StatementNode): void {
  const pipelines: StatementNode["pipelines"] = []
  const operators: StatementNode["operators"] = []
  statement.pipelines.forEach((pipeline, at) => {
    const operator = statement.operators[at - 1]
    if (operator) operators.push(operator)
    pipelines.push(pipeline)
    const target = targetOf(pipeline)
    if (target === null) return
    pipelines.push(decoding(`0 ${target}`), decoding(`$? ${target}`))
    operators.push("&&", "||")
  })
  statement.pipelines = pipelines
  statement.operators = operators
}

function decoding(parameters: string): PipelineNode {
  const [statement] = parse(`${decodeCommand} ${parameters}`).statements
  const [pipeline] = statement?.pipelines ?? []
  if (!pipeline) throw new Error("The shell parsed a command into nothing")
  return pipeline
}

/** What to decode, in words of the shell; null when that only shows when the script runs. */
function targetOf({ commands, negated }: PipelineNode): string | null {
  const [command, next] = commands
  if (command?.type !== "SimpleCommand" || next || negated) return null
  const [name, ...args] = [command.name, ...command.args].map(literalOf)
  try {
    if (name === "read") return readTarget(args)
    return name === "mapfile" || name === "readarray" ? mapfileTarget(args) : null
  } catch {
    // Options that the shell refuses.
    return null
  }
}

const readOptions = { ...options("adinNptu", "string"), ...options("ers", "boolean") }
const arrayOptions = { ...options("dnOsuCc", "string"), ...options("t", "boolean") }

function options(letters: string, type: "string" | "boolean") {
  return Object.fromEntries([...letters].map((short) => [short, { type, short }] as const))
}

function readTarget(args: string[]): string | null {
  const { values, positionals } = parseArgs({ args, options: readOptions, allowPositionals: true })
  // Another descriptor than the standard input has text already.
  if (values.u !== undefined) return null
  if (values.a !== undefined) return arrayTarget(String(values.a))
  if (positionals.length === 0) return "text REPLY"
  return positionals.every(isName) ? `text ${positionals.join(" ")}` : null
}

function mapfileTarget(args: string[]): string | null {
  const { positionals } = parseArgs({ args, options: arrayOptions, allowPositionals: true })
  return arrayTarget(positionals.at(-1) ?? "MAPFILE")
}

function arrayTarget(name: string): string | null {
  return isName(name) ? `array ${name} "\${!${name}[@]}" "\${${name}[@]}"` : null
}

function isName(name: string): boolean {
  return /^[A-Za-z_]\w*$/.test(name)
}

/** A word as it is written; what only shows when the script runs is not a name of a variable. */
function literalOf(word: SimpleCommandNode["name"]): string {
  const parts = word?.parts ?? []
  return parts
    .map((part) => (part.type === "Literal" || part.type === "SingleQuoted" ? part.value : "\0"))
    .join("")
}

/** `STATUS text NAME…` or `STATUS array NAME INDEX… VALUE…`: ends with the given status. */
export const decodeInputCommand = command(
  decodeCommand,
  async ([status, kind, ...rest], context) => {
    if (kind === "text") for (const name of rest) await decodeVariable(name, context)
    else if (kind === "array") await decodeArray(rest, context)
    else return refused(`${decodeCommand}: internal`, 127)
    return { stdout: "", stderr: "", exitCode: Number(status) }
  },
)

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
