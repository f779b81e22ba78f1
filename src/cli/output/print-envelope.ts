import {
  type Envelope,
  type Failure,
  isObject,
  type ResultView,
  type Success,
} from "../../contract/index.ts"
import type { Terminal } from "./terminal.ts"

interface Printing {
  readonly terminal: Terminal
  readonly outputShown?: boolean
  /** A successful result as a text; its JSON when absent. */
  readonly show?: (envelope: Success, view: ResultView) => string
}

/** The envelope as JSON for a program; for a person, what they would have wanted to see of it. */
export async function printEnvelope(envelope: Envelope, printing: Printing): Promise<void> {
  const { terminal } = printing
  if (!terminal.forPeople) return terminal.printJson(envelope)
  const lines = envelope.ok
    ? describeSuccess(envelope, printing)
    : describeFailure(envelope, terminal)
  await terminal.print(`${lines.filter((line) => line !== "").join("\n")}\n`)
}

/** An answer in another vocabulary's form, which is a text or JSON. */
export async function printAnswer(answer: unknown, terminal: Terminal): Promise<void> {
  if (typeof answer === "string") await terminal.printAnswer(`${answer}\n`)
  else await terminal.printJson(answer)
}

function describeSuccess(envelope: Success, printing: Printing): string[] {
  const { terminal, show = asText, outputShown = false } = printing
  const { result, warnings = [] } = envelope
  const end = describeEnd(result, terminal)
  const body = show(envelope, { outputShown, endShown: end !== "" }).replace(/\n$/, "")
  const isJson = body === JSON.stringify(result)
  return [
    isJson ? JSON.stringify(result, null, 2) : body,
    end,
    ...warnings.map((warning) => terminal.style("yellow", `! ${warning}`)),
  ]
}

const asText = ({ result }: Success) => JSON.stringify(result)

/** How a program ended and how long it ran, where the result says so. */
function describeEnd(result: unknown, terminal: Terminal): string {
  if (!isObject(result) || typeof result.exit_code !== "number") return ""
  const { exit_code: code, killed_by: by, duration_ms: ms } = result
  if (typeof ms !== "number") return ""
  const ending = by === "user" ? "ended by you" : `exit ${code}`
  return terminal.style(code === 0 ? "green" : "red", `${ending}, ${(ms / 1000).toFixed(2)} s`)
}

function describeFailure(failed: Failure, terminal: Terminal): string[] {
  return [
    `${terminal.style("red", failed.kind)}: ${failed.message}`,
    failed.expected === undefined ? "" : `expected: ${failed.expected}`,
  ]
}
