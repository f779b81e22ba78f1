import { type Agent, readRun } from "../../agent/index.ts"
import { limits, ToolFailure } from "../../contract/index.ts"
import { type Clock, errorText } from "../../kit/index.ts"
import { serverStops } from "../../mcp/index.ts"
import type { RunningCall } from "../../runtime/index.ts"
import type { Session } from "../../session/index.ts"
import type { RecordReader, RecordStore } from "../../store/index.ts"
import { httpLimits } from "../limits.ts"
import { findWaitingRuns } from "./find-waiting-runs.ts"
import { createModelText, type ModelText } from "./model-text.ts"

/** The agent of a server, opened when somebody asks for it. */
export interface ServerAgent {
  /** The model's id; fails with what is missing, in a sentence for people. */
  open(): Promise<{ readonly model: string; readonly agent: Agent }>
}

export interface RunsDeps {
  readonly agent: ServerAgent
  readonly store: RecordStore
  /** Calls back when a question that waits in the record was answered; the returned function ends that. */
  readonly onAnswered: (listener: () => void) => () => void
  /** Opens a session by its name. */
  readonly session: (name: string) => Session
  readonly clock: Clock
  /** How long the calls of a run may take to end when the server stops. */
  readonly stopMs?: number | undefined
}

/** Runs of the server's agent, at most one in each session. They go on when nobody looks. */
export interface Runs {
  model(): Promise<{ readonly model: string | null; readonly why_not: string | null }>
  show(session: string, reader: RecordReader | null): Promise<RunFacts>
  /** Asks the model, or tells the run that works already; continues the last run where there is nothing to say. */
  start(session: Session, said: string | null): Promise<"started" | "told">
  abort(session: string): boolean
  /** Whether one works or waits in a session. */
  has(session: string): boolean
  text(session: string): ModelText
  /** Goes on with what waited for an answer when a server like this one ended. */
  recover(): void
  /** Begins none any more and asks no model, waits a while for calls that run, and ends the rest: each run can be continued later. */
  close(): Promise<void>
}

interface RunFacts {
  readonly run: "none" | "running" | "waiting" | "interrupted"
  readonly problem: string | null
}

interface LiveRun {
  state: "running" | "waiting"
  /** What was said to it and not read yet. */
  readonly queued: string[]
  say: (said: string) => void
  /** What runs in its session now. */
  calls: () => readonly RunningCall[]
  readonly ending: AbortController
  done: Promise<void>
}

/** What the record says of runs that a server has started. */
const startedBy = "server"

export function createRuns(deps: RunsDeps): Runs {
  const { agent: source, store, onAnswered, clock, stopMs = limits.stopMs } = deps
  const live = new Map<string, LiveRun>()
  const texts = new Map<string, ModelText>()
  /** Why a run could not go on, for reasons that are not in the record. */
  const problems = new Map<string, string>()
  let opened: ReturnType<ServerAgent["open"]> | null = null
  let isClosing = false

  const open = () => {
    opened ??= source.open()
    return opened
  }
  const textOf = (session: string) => {
    const text = texts.get(session) ?? createModelText(() => texts.delete(session))
    texts.set(session, text)
    return text
  }

  async function work(agent: Agent, session: Session, said: string | null, run: LiveRun) {
    run.calls = () => session.running()
    const record = await session.record?.()
    const text = textOf(session.name)
    const stopText = text.hold()
    const options = {
      ...{ signal: run.ending.signal, by: startedBy },
      onDelta: ({ kind, text: piece }: { readonly kind: string; readonly text: string }) => {
        if (kind === "text") text.add(piece, record?.head().entry ?? 0)
      },
    }
    try {
      let current =
        said === null ? agent.resume(session, options) : agent.run(session, said, options)
      for (;;) {
        const left: string[] = []
        run.say = (more) => {
          void current.send(more).then((how) => {
            if (how === "not-delivered") left.push(more)
          })
        }
        for (const more of run.queued.splice(0)) run.say(more)
        const { why, ...end } = await current.result
        run.say = (more) => run.queued.push(more)
        if (why === "waiting") {
          run.queued.push(...left)
          run.state = "waiting"
          if ("questions" in end) await answered(end.questions, run.ending.signal)
          // The next server goes on with it.
          if (isClosing) return
          run.state = "running"
          current = agent.resume(session, options)
          continue
        }
        left.push(...run.queued.splice(0))
        // It was over before it read this, so this is asked next.
        if (left.length === 0 || run.ending.signal.aborted) return
        current = agent.run(session, left.join("\n\n"), options)
      }
    } finally {
      stopText()
    }
  }

  /** Resolves when one of them has an answer, or the run is to end. */
  async function answered(questions: readonly { readonly id: string }[], signal: AbortSignal) {
    const looked = async () => {
      const found = await Promise.all(questions.map(({ id }) => store.question(id)))
      return found.some((question) => question === null || question.answer !== null)
    }
    let wake = () => {}
    const stop = onAnswered(() => wake())
    const aborted = () => wake()
    signal.addEventListener("abort", aborted)
    let cancelLook = () => {}
    try {
      while (!signal.aborted) {
        const changed = new Promise<void>((resolve) => {
          wake = resolve
        })
        if (await looked()) return
        // Another process may get the answer, such as `toolkeep approve`.
        cancelLook = clock.after(httpLimits.answerLookMs, () => wake())
        if (!signal.aborted) await changed
        cancelLook()
      }
    } finally {
      cancelLook()
      stop()
      signal.removeEventListener("abort", aborted)
    }
  }

  /** Says it to the run that works in a session; false where none does. */
  function isTold(session: string, said: string | null): boolean {
    const known = live.get(session)
    if (known && said !== null) known.say(said)
    return known !== undefined
  }

  function track(session: string, state: LiveRun["state"], go: (run: LiveRun) => Promise<void>) {
    problems.delete(session)
    const run: LiveRun = {
      ...{ state, queued: [], ending: new AbortController(), calls: () => [] },
      say: (more) => run.queued.push(more),
      done: Promise.resolve(),
    }
    live.set(session, run)
    run.done = go(run)
      .catch((error: unknown) => void problems.set(session, errorText(error)))
      .finally(() => live.delete(session))
  }

  /** A model that is asked now would be asked in vain; a call may be nearly done. */
  async function endGently({ calls, ending, done }: LiveRun): Promise<void> {
    const stop = () => ending.abort(new ToolFailure({ kind: "unavailable", message: serverStops }))
    const cancel = clock.after(stopMs, stop)
    while (calls().length > 0 && !ending.signal.aborted) {
      await Promise.all(calls().map(({ envelope }) => envelope))
      // One that has ended is among them until this turn is over.
      await new Promise((resolve) => setImmediate(resolve))
    }
    cancel()
    stop()
    await done
  }

  async function recover(): Promise<void> {
    for (const { session, questions } of await findWaitingRuns(store, startedBy)) {
      if (live.has(session) || isClosing) continue
      track(session, "waiting", async (run) => {
        await answered(questions, run.ending.signal)
        if (isClosing) return
        run.state = "running"
        await work((await open()).agent, deps.session(session), null, run)
      })
    }
  }

  return {
    async model() {
      return open().then(
        ({ model }) => ({ model, why_not: null }),
        (error: unknown) => ({ model: null, why_not: errorText(error) }),
      )
    },
    async show(session, reader) {
      const problem = problems.get(session) ?? null
      const known = live.get(session)
      if (known) return { run: known.state, problem }
      const recorded = await reader?.session()
      if (!reader || !recorded || recorded.state === "idle") return { run: "none", problem }
      const last = await readRun(reader)
      return { run: last && last.end === null ? "interrupted" : "none", problem }
    },
    async start(session, said) {
      if (isTold(session.name, said)) return "told"
      const { agent } = await open()
      // Another process may work in it: that is for who asks now.
      await session.record?.()
      // Somebody else may have asked meanwhile.
      if (isTold(session.name, said)) return "told"
      if (isClosing) {
        throw new ToolFailure({ kind: "unavailable", message: "The server is stopping." })
      }
      track(session.name, "running", (run) => work(agent, session, said, run))
      return "started"
    },
    abort(session) {
      const known = live.get(session)
      known?.ending.abort()
      return known !== undefined
    },
    has: (session) => live.has(session),
    text: textOf,
    // What can't be read now can be continued by hand.
    recover: () => void recover().catch(() => {}),
    async close() {
      isClosing = true
      await Promise.all([...live.values()].map(endGently))
    },
  }
}
