import { ToolFailure } from "../../../contract/index.ts"
import { openSandboxLimits } from "../../limits.ts"

/** Where the commands of one sandbox are run, and with which headers. */
export interface ExecdAddress {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

export interface CommandBody {
  readonly command: string
  readonly envs: Readonly<Record<string, string>>
  /** Milliseconds. */
  readonly timeout?: number
}

/** What execd tells of a command; other kinds of events are left out. */
export type CommandEvent =
  | { readonly type: "init"; readonly text: string }
  | { readonly type: "stdout" | "stderr"; readonly text: string }
  | { readonly type: "error"; readonly name: string; readonly value: string }
  | { readonly type: "execution_complete" }

/**
 * Runs a command and gives its events as they come. The SDK can do that too, but neither stops it at the event of the
 * end, after which execd keeps the stream open for a second, nor ends it when it is left.
 */
export async function* commandEvents(
  { url, headers }: ExecdAddress,
  body: CommandBody,
  signal: AbortSignal,
): AsyncIterable<CommandEvent> {
  const answer = await fetch(`${url}/command`, {
    method: "POST",
    headers: { ...headers, "content-type": "application/json", accept: "text/event-stream" },
    body: JSON.stringify(body),
    signal,
  })
  if (!answer.ok || !answer.body) throw await refusalOf(answer)
  let held = ""
  const decoder = new TextDecoder()
  for await (const piece of answer.body) {
    const lines = (held + decoder.decode(piece, { stream: true })).split("\n")
    held = lines.pop() ?? ""
    if (held.length > openSandboxLimits.eventCharacters) throw unreadable("a line without an end")
    for (const line of lines) {
      const event = readEvent(line)
      if (event) yield event
    }
  }
}

/** Events are JSON, some servers write them as fields of server-sent events. */
function readEvent(line: string): CommandEvent | null {
  const text = line.replace(/^data:/, "").trim()
  if (text === "" || /^(:|event:|id:|retry:)/.test(line)) return null
  const event = parseObject(text)
  if (!event) throw unreadable(text)
  const { type, text: said = "", error } = event
  switch (type) {
    case "init":
    case "stdout":
    case "stderr":
      return { type, text: String(said) }
    case "error": {
      const { ename, evalue } = (error ?? {}) as Record<string, unknown>
      return { type, name: String(ename ?? ""), value: String(evalue ?? "") }
    }
    case "execution_complete":
      return { type }
    default:
      return null
  }
}

function parseObject(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === "object" ? (value as Record<string, unknown> | null) : null
  } catch {
    return null
  }
}

function unreadable(text: string): ToolFailure {
  const message = `OpenSandbox sent what is not an event: ${text.slice(0, 100)}`
  return new ToolFailure({ kind: "unavailable", message })
}

/** A command that was not run. */
async function refusalOf(answer: Response): Promise<ToolFailure> {
  const said = parseObject(await answer.text().catch(() => ""))
  const why = String(said?.message ?? answer.statusText)
  const message = `OpenSandbox did not run the command (${answer.status}): ${why.slice(0, 500)}`
  const isRefused = answer.status === 403
  return new ToolFailure({ kind: isRefused ? "rejected" : "unavailable", message })
}
