import { type CallContext, ToolFailure } from "../../contract/index.ts"
import { createId } from "../../kit/index.ts"
import type { ReplacedTool, RunningCall } from "../../runtime/index.ts"
import type { Session } from "../../session/index.ts"
import type { Questions } from "../server/questions.ts"
import type { OwnCalls } from "../stopping/own-calls.ts"

/** What the calls of another API's clients need of the server. */
export interface BesideDeps {
  readonly calls: OwnCalls
  readonly questions: Questions
}

export interface BesideRequest<Opened> {
  readonly session: Session
  /** A built-in tool: its name and this input are judged, asked about and recorded. */
  readonly tool: string
  readonly input: unknown
  /** Ends the call, such as one whose client is gone. */
  readonly signal?: AbortSignal | undefined
  /**
   * Works in the place of the tool, once the call may run. What it opens is the client's from then on, such as a stream of
   * bytes; what it returns is recorded as the result.
   */
  readonly work: (input: unknown, working: Working<Opened>) => Promise<unknown>
}

export interface Working<Opened> {
  readonly context: CallContext
  readonly tool: ReplacedTool
  readonly open: (opened: Opened) => void
}

export interface BesideCall<Opened> {
  readonly id: string
  /** Rejects with a ToolFailure where the call was refused, or failed before it had opened anything. */
  readonly opened: Promise<Opened>
  /** What the work returned; rejects with a ToolFailure. */
  readonly ended: Promise<unknown>
  readonly call: RunningCall
}

/** Starts a call whose bytes go beside its envelope: they are neither judged nor recorded, what is done with them is. */
export function callBeside<Opened>(
  { calls, questions }: BesideDeps,
  { session, tool, input, signal, work }: BesideRequest<Opened>,
): BesideCall<Opened> {
  const id = createId("call")
  const opened = Promise.withResolvers<Opened>()
  const call = calls.begin(() => {
    const options = {
      ...{ id, signal, approve: questions.approve },
      work: (given: unknown, context: CallContext, replaced: ReplacedTool) =>
        work(given, { context, tool: replaced, open: opened.resolve }),
    }
    // In the canonical words, whatever dialect the session's models speak.
    void session.call(tool as "shell.exec", input as never, options)
    const running = session.running().find((one) => one.id === id)
    if (!running) throw new Error("A call that was started does not run.")
    return running
  })
  const ended = call.envelope.then((envelope) => {
    if (envelope.ok) return envelope.result
    throw new ToolFailure(envelope)
  })
  ended.then(() => opened.reject(new Error("The work has opened nothing.")), opened.reject)
  // A caller that waits for one of them need not wait for the other.
  opened.promise.catch(() => {})
  return { id, opened: opened.promise, ended, call }
}

/** Calls a tool as it is; throws its failure. */
export async function callTool(
  deps: BesideDeps,
  request: Omit<BesideRequest<unknown>, "work">,
): Promise<unknown> {
  const work: BesideRequest<unknown>["work"] = async (input, { context, tool }) =>
    tool.run(input, context)
  return callBeside(deps, { ...request, work }).ended
}
