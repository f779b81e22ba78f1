import {
  type Envelope,
  type Failure,
  isObject,
  readableResult,
  type Success,
} from "../../contract/index.ts"
import { markUnseen } from "../../kit/index.ts"
import type { Terminal } from "./terminal.ts"

interface Printing {
  readonly terminal: Terminal
  readonly asJson: boolean
  readonly alreadyShown: boolean
}

/** The envelope as JSON for a program; for a person, what they would have wanted to see of it. */
export async function printEnvelope(envelope: Envelope, printing: Printing): Promise<void> {
  const { terminal, asJson } = printing
  if (asJson) {
    // On a terminal a person asked for JSON, and reads it.
    await terminal.printJson(envelope, terminal.forPeople ? 2 : 0)
    return
  }
  const lines = envelope.ok
    ? describeSuccess(envelope, printing)
    : describeFailure(envelope, terminal)
  await terminal.print(`${lines.filter((line) => line !== "").join("\n")}\n`)
}

/** An answer in another vocabulary's form, which is a text or JSON. */
export async function printAnswer(answer: unknown, terminal: Terminal): Promise<void> {
  if (typeof answer === "string") await terminal.printAnswer(`${answer}\n`)
  else await terminal.printJson(answer, terminal.forPeople ? 2 : 0)
}

function describeSuccess(envelope: Success, { terminal, alreadyShown }: Printing): string[] {
  const { result, warnings = [] } = envelope
  const body = describeResult(result, terminal, alreadyShown)
  const notes = warnings.map((warning) => terminal.style("yellow", `! ${warning}`))
  return [...body, ...notes]
}

function describeResult(result: unknown, terminal: Terminal, alreadyShown: boolean): string[] {
  if (!isObject(result)) return [JSON.stringify(result, null, 2)]
  switch (result.kind) {
    case "command":
      return describeCommand(result, terminal, alreadyShown)
    case "listing":
      return describeListing(result)
    default:
      return [readableResult(result, 2).replace(/\n$/, "")]
  }
}

function describeCommand(
  result: Record<string, unknown>,
  terminal: Terminal,
  alreadyShown: boolean,
): string[] {
  const output = alreadyShown ? [] : [String(result.stdout), String(result.stderr)]
  const code = Number(result.exit_code)
  const ending = result.killed_by === "user" ? "ended by you" : `exit ${code}`
  const seconds = (Number(result.duration_ms) / 1000).toFixed(2)
  const summary = `${ending}, ${seconds} s`
  return [
    ...output.map((text) => text.replace(/\n$/, "")),
    terminal.style(code === 0 ? "green" : "red", summary),
  ]
}

function describeListing(result: Record<string, unknown>): string[] {
  const entries = Array.isArray(result.entries) ? result.entries : []
  const names = entries.map(
    (entry) => `${markUnseen(String(entry.name))}${entry.type === "directory" ? "/" : ""}`,
  )
  const more = result.truncated === true ? ", and more" : ""
  return [...names, `${result.entry_count} entries in ${markUnseen(String(result.path))}${more}`]
}

function describeFailure(failed: Failure, terminal: Terminal): string[] {
  return [
    `${terminal.style("red", failed.kind)}: ${failed.message}`,
    failed.expected === undefined ? "" : `expected: ${failed.expected}`,
  ]
}
