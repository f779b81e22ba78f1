import { createInterface } from "node:readline"
import { type Envelope, failure, isObject, limits, parseJson } from "../../contract/index.ts"
import type { RunningCall } from "../../runtime/index.ts"
import type { CallOptions, Session } from "../../session/index.ts"
import type { Terminal } from "../output/terminal.ts"
import { endOnInterrupt } from "../stop-signal.ts"

type Line =
  | { readonly kind: "call"; readonly id: unknown; readonly tool: string; readonly input: unknown }
  | { readonly kind: "bad"; readonly id: unknown; readonly tool: string; readonly problem: string }

/**
 * `toolkeep call --batch`: a call per line of standard input, one after the other, because a later
 * one may need what an earlier one did. Every line is answered by one line.
 */
export async function callBatch(
  session: Session,
  options: CallOptions,
  terminal: Terminal,
): Promise<number> {
  const running = new Set<RunningCall>()
  const interrupted = endOnInterrupt(running, terminal)
  let exitCode = 0
  for await (const text of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
    if (text.trim() === "") continue
    const line = readLine(text)
    const envelope = await answer(line, session, { options, running })
    if (!envelope.ok) exitCode = 1
    const said = session.dialect ? { answer: session.render(envelope) } : { envelope }
    await terminal.printJson({ id: line.id, ...said }, 0)
    if (interrupted()) return 130
  }
  return exitCode
}

async function answer(
  line: Line,
  session: Pick<Session, "start">,
  { options, running }: { readonly options: CallOptions; readonly running: Set<RunningCall> },
): Promise<Envelope> {
  if (line.kind === "bad") {
    return failure(line.tool, {
      kind: "invalid_args",
      message: line.problem,
      expected: 'one JSON object a line: {"id": 1, "tool": "file.read", "input": {"path": "a.md"}}',
    })
  }
  const call = session.start(line.tool, line.input, options)
  running.add(call)
  const envelope = await call.envelope
  running.delete(call)
  return envelope
}

const known = ["id", "tool", "input"]

function readLine(text: string): Line {
  if (text.length > limits.inputBytes) return bad(null, "", "The line is too long.")
  const line = parseJson(text)
  if (line === undefined) return bad(null, "", "The line is not valid JSON.")
  if (!isObject(line)) return bad(null, "", "The line is not a JSON object.")
  const { id = null, tool, input } = line
  const unknown = Object.keys(line).find((key) => !known.includes(key))
  const name = typeof tool === "string" ? tool : ""
  if (unknown !== undefined) {
    return bad(id, name, `The line has an unknown key ${JSON.stringify(unknown.slice(0, 60))}.`)
  }
  if (name === "") return bad(id, name, 'The line names no "tool".')
  return { kind: "call", id, tool: name, input }
}

function bad(id: unknown, tool: string, problem: string): Line {
  return { kind: "bad", id, tool, problem }
}
