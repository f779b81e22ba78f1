import {
  createAgent,
  openModel,
  type RunLimits,
  type RunResult,
  readRun,
} from "../../agent/index.ts"
import { markUnseen } from "../../kit/index.ts"
import { containFaults } from "../../node/index.ts"
import type { Approver } from "../../runtime/index.ts"
import type { Session } from "../../session/index.ts"
import type { RecordStore, SessionRecord } from "../../store/index.ts"
import type { Arguments } from "../flags/command.ts"
import { openKeep, readPolicy } from "../flags/open-session.ts"
import { faultLog, type Terminal } from "../output/terminal.ts"
import { agentSettings, chooseModel, requirePrices } from "./agent-settings.ts"
import { askPerson } from "./ask-person.ts"
import { onInterrupt } from "./on-interrupt.ts"
import { openTracer } from "./open-tracer.ts"
import { printEnd } from "./print-end.ts"
import { printEntries } from "./print-entries.ts"
import { readSettings, settingsEntry, settingsOf, withSettings } from "./run-settings.ts"
import { createRunningCalls } from "./running-calls.ts"
import { type RunView, showRun } from "./show-run.ts"
import { watchSession } from "./watch-session.ts"

/** The work for a session. */
export interface SessionWork {
  readonly store: RecordStore
  readonly session: string
  /** What the model is asked for; null to continue the last run. */
  readonly task: string | null
  /** The number of an entry to go back to first. */
  readonly from?: number | undefined
  readonly instructions?: string | undefined
  readonly schema?: Readonly<Record<string, unknown>> | undefined
  readonly limits?: RunLimits | undefined
}

/** Works in a session until the run has ended or waits for a person. Resolves with the exit code. */
export async function runSession(
  flags: Arguments,
  terminal: Terminal,
  work: SessionWork,
): Promise<number> {
  const { store } = work
  const before = await readSettings(await store.read(work.session))
  const given = withSettings(flags, before)
  const policy = await readPolicy(given)
  const configured = agentSettings(policy)
  requirePrices(configured, work.limits)
  const modelId = chooseModel(given, policy)
  const model = await openModel(modelId)
  const settings = settingsOf(given, { before, model: modelId })
  using _contained = containFaults(faultLog(terminal))
  await using tracer = await openTracer(terminal.note)
  const keep = await openKeep(given, terminal, { directory: settings.directory, record: store })
  try {
    const opened = keep.session(work.session)
    const record = await openedRecord(opened)
    const asEntries = flags.is("json")
    const calls = createRunningCalls()
    const view = asEntries ? silent(terminal) : showRun({ terminal, isParked: calls.isParked })
    view.note(`${terminal.style("dim", `session ${markUnseen(work.session)}`)}\n`)
    const finishEntries = asEntries
      ? printEntries(opened, {
          ...{ record, terminal, after: (await record.session())?.head ?? 0 },
        })
      : async () => {}
    await record.append([settingsEntry(settings, Date.now())])
    let onCallStart = () => {}
    const session = watchSession(opened, {
      onEvent: view.onEvent,
      onStart(call) {
        calls.add(call)
        onCallStart()
      },
    })
    const agent = createAgent({
      ...{ model, name: given.text("agent"), instructions: work.instructions },
      ...{ ...configured, ...tracer.options },
      ...personOf(flags, terminal, view),
    })
    const ending = new AbortController()
    onCallStart = onInterrupt({
      endCalls: calls.terminate,
      endRun: () => ending.abort(),
      note: view.note,
    })
    const options = {
      ...{ signal: ending.signal, onDelta: view.onDelta },
      ...{ schema: work.schema, limits: work.limits },
    }
    const { task, from } = work
    if (from !== undefined) await agent.branch(session, from)
    const isOpen = (await readRun(record))?.end === null
    if (isOpen) noteUnused(flags, view)
    // What is said to a run that was interrupted is read with the answers that it still waits for.
    const run =
      task === null || isOpen ? agent.resume(session, options) : agent.run(session, task, options)
    const sent = task !== null && isOpen ? run.send(task) : null
    let result = await run.result
    while (result.why === "waiting" && (await isAnswered(store, result))) {
      result = await agent.resume(session, options).result
    }
    if ((await sent) === "not-delivered") {
      view.note("toolkeep: the run still waits for an answer, so it did not get the new task.\n")
    }
    await finishEntries()
    const wasShown = view.end()
    return await printEnd(result, { terminal, session: work.session, wasShown, asEntries })
  } finally {
    await keep.close()
  }
}

async function openedRecord(session: Session): Promise<SessionRecord> {
  if (!session.record) throw new Error("The sessions of an agent are recorded.")
  return session.record()
}

const ofNewRuns = [
  ...["instructions", "schema", "max-rounds", "max-calls", "max-commands", "max-tokens"],
  ...["max-cost", "max-time"],
]

/** A run that was interrupted continues with the settings that it was started with. */
function noteUnused({ flags }: Arguments, { note }: RunView): void {
  const unused = flags.filter((flag) => ofNewRuns.includes(flag)).map((flag) => `--${flag}`)
  if (unused.length === 0) return
  note(
    `toolkeep: the run continues with its first settings, so ${unused.join(", ")} has no effect.\n`,
  )
}

/** Somebody may have answered while other calls were still running. */
async function isAnswered(
  store: RecordStore,
  { questions }: Extract<RunResult, { why: "waiting" }>,
): Promise<boolean> {
  const found = await Promise.all(questions.map(({ id }) => store.question(id)))
  return found.some((question) => question !== null && question.answer !== null)
}

const approveAll: Approver = async ({ fingerprint }) => {
  return { kind: "approved", fingerprint, by: "--yes" }
}

/** How the run gets approvals: without asking, from a parked question, or at the terminal. */
function personOf(flags: Arguments, terminal: Terminal, view: RunView) {
  if (flags.is("park")) return {}
  const asked = askPerson({ terminal, pause: view.pause }) ?? {}
  return flags.is("yes") ? { ...asked, approve: approveAll } : asked
}

/** Shows only warnings and errors. */
function silent({ note }: Terminal): RunView {
  return {
    ...{ onDelta() {}, onEvent() {}, pause: () => () => {}, end: () => true },
    note: (text) => {
      if (text.startsWith("toolkeep:")) note(text)
    },
  }
}
