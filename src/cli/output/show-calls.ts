import { type Envelope, isObject } from "../../contract/index.ts"
import { markUnseen } from "../../kit/index.ts"
import type { CallEvent } from "../../runtime/index.ts"
import type { Terminal } from "./terminal.ts"

const longestInput = 80

/** One line a call, when it has ended, and one when a person has to be asked and one when somebody has answered. */
export function showCalls(terminal: Terminal): (event: CallEvent, client: string) => void {
  const inputs = new Map<string, unknown>()
  const show = (event: CallEvent, client: string, text: string) => {
    const time = new Date(event.at).toTimeString().slice(0, 8)
    const who = markUnseen(client)
    const head = `${terminal.style("dim", time)} ${terminal.style("cyan", who)}`
    void terminal.print(`${head} ${terminal.style("bold", markUnseen(event.tool))} ${text}\n`)
  }
  return (event, client) => {
    switch (event.kind) {
      case "call-checked":
        inputs.set(event.callId, event.input)
        break
      case "approval-requested":
        show(event, client, terminal.style("yellow", "waits for approval"))
        break
      case "approval-answered":
        if (event.by !== undefined)
          show(event, client, `${event.answer} by ${markUnseen(event.by)}`)
        break
      case "call-ended": {
        const input = describeInput(inputs.get(event.callId))
        inputs.delete(event.callId)
        const took = terminal.style("dim", `${Math.round(event.durationMs)} ms`)
        show(event, client, `${describeEnding(event.envelope, terminal)} ${took}${input}`)
        break
      }
    }
  }
}

export function describeEnding(envelope: Envelope, terminal: Terminal): string {
  if (!envelope.ok) {
    const message = markUnseen(envelope.message.replaceAll("\n", " "))
    return `${terminal.style("red", envelope.kind)} ${message}`
  }
  const { result } = envelope
  if (!isObject(result)) return terminal.style("green", "ok")
  const kind = typeof result.kind === "string" ? ` ${markUnseen(result.kind)}` : ""
  if (typeof result.exit_code !== "number") return terminal.style("green", `ok${kind}`)
  const colour = result.exit_code === 0 ? "green" : "yellow"
  return terminal.style(colour, `ok${kind} exit ${result.exit_code}`)
}

/** What a person recognises a call by: its port, or else the first of its texts, a command or a path. */
export function describeInput(input: unknown): string {
  if (!isObject(input)) return ""
  const { port } = input
  const text =
    typeof port === "number"
      ? `port ${port}`
      : Object.values(input).find((value) => typeof value === "string")
  if (typeof text !== "string") return ""
  const line = markUnseen(text.replaceAll(/\s+/g, " "))
  return `  ${line.length > longestInput ? `${line.slice(0, longestInput)}…` : line}`
}
