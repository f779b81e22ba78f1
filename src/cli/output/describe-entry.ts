import { type Envelope, isObject } from "../../contract/index.ts"
import { markUnseen } from "../../kit/index.ts"
import type { RecordEntry } from "../../store/index.ts"
import type { Terminal } from "./terminal.ts"

const longest = 120

/** One entry of a session as a line that a person reads. */
export function describeEntry(entry: RecordEntry, { style }: Pick<Terminal, "style">): string {
  const { sequence, at, kind, body } = entry
  const time = new Date(at).toLocaleString("sv")
  const head = `${style("dim", `${String(sequence).padStart(5)}  ${time}`)}  ${style("cyan", markUnseen(kind).padEnd(9))}`
  return `${head}  ${isObject(body) ? describeBody(kind, body, style) : shortJson(body)}`
}

type Body = Readonly<Record<string, unknown>>

function describeBody(kind: string, body: Body, style: Terminal["style"]): string {
  switch (kind) {
    case "call":
      return `${style("bold", short(body.tool))} ${shortJson(body.input)}`
    case "envelope":
      return isObject(body.envelope)
        ? `${describeEnvelope(body.envelope as unknown as Envelope, style)} ${style("dim", took(body))}`
        : shortJson(body)
    case "question":
      return short(body.prompt)
    case "message":
      return isObject(body.message) ? describeMessage(body.message) : shortJson(body)
    default:
      return shortJson(body)
  }
}

function took({ duration_ms: ms }: Body): string {
  return typeof ms === "number" ? `${Math.round(ms)} ms` : ""
}

function describeEnvelope(envelope: Envelope, style: Terminal["style"]): string {
  const tool = style("bold", short(envelope.tool))
  if (!envelope.ok)
    return `${tool} ${style("red", short(envelope.kind))} ${short(envelope.message)}`
  const { result } = envelope
  if (!isObject(result)) return `${tool} ${style("green", "ok")}`
  const kind = typeof result.kind === "string" ? ` ${short(result.kind)}` : ""
  const exit = typeof result.exit_code === "number" ? ` exit ${result.exit_code}` : ""
  return `${tool} ${style(exit === "" || exit === " exit 0" ? "green" : "yellow", `ok${kind}${exit}`)}`
}

/** Who says it, and its texts. */
function describeMessage({ role, content, results }: Body): string {
  const parts = Array.isArray(content) ? content : []
  const said = parts.map((part: unknown) => {
    if (!isObject(part)) return ""
    if (part.type === "call") return `[${String(part.tool)}]`
    return typeof part.text === "string" ? part.text : `[${String(part.type)}]`
  })
  const answers = Array.isArray(results) ? [`${results.length} results`] : []
  return `${short(role)}: ${short([...said, ...answers].join(" "))}`
}

function shortJson(value: unknown): string {
  return short(JSON.stringify(value) ?? "")
}

function short(value: unknown): string {
  const line = markUnseen(
    String(value)
      .slice(0, longest * 4)
      .replaceAll(/\s+/g, " "),
  ).trim()
  return line.length > longest ? `${line.slice(0, longest)}…` : line
}
