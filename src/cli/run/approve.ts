import type { ParkedAnswer, ParkedQuestion } from "../../agent/index.ts"
import { parseObject, ToolFailure } from "../../contract/index.ts"
import { markUnseen, systemClock } from "../../kit/index.ts"
import { isDead } from "../../node/index.ts"
import { noSuchSession, readGrants, recordGrants } from "../../session/index.ts"
import type { RecordStore } from "../../store/index.ts"
import { type Arguments, type CommandRun, UsageError } from "../flags/command.ts"
import { createStore } from "../flags/open-record.ts"
import type { Terminal } from "../output/terminal.ts"
import { type OpenQuestion, openQuestions } from "./open-questions.ts"
import { runSession } from "./run-session.ts"

/** `toolkeep approve`. */
export const approve: CommandRun = async (given, terminal) => {
  const [wanted] = given.positionals
  const answer = readAnswer(given)
  await using store = await createStore(given)
  if (given.text("withdraw") !== undefined) return await withdraw(given, terminal, store)
  const open = await openQuestions(store)
  if (wanted === undefined) {
    if (answer) throw new UsageError("name the question to answer; toolkeep approve lists them.")
    await listQuestions(open, terminal)
    return 0
  }
  const { id, question, root } = findQuestion(open, wanted)
  const said = answer ?? { kind: "approved", by }
  requireFit(question, said)
  if (!(await store.answer(id, said))) throw answeredBefore(wanted)
  const { owner } = root
  if (owner !== null && !isDead(owner)) {
    terminal.note(`toolkeep: answered. The process that has ${quoted(root.name)} open continues.\n`)
    return 0
  }
  if (given.is("no-run")) {
    terminal.note(
      `toolkeep: answered. Continue: toolkeep run --continue --session ${quoted(root.name)}\n`,
    )
    return 0
  }
  // Awaited here: the store is closed when this returns.
  return await runSession(given, terminal, { store, session: root.name, task: null })
}

const by = "toolkeep approve"

/** Takes back what --always granted for a tool. */
async function withdraw(given: Arguments, terminal: Terminal, store: RecordStore): Promise<number> {
  const [tool = "", session] = [given.text("withdraw"), given.text("session")]
  if (session === undefined || given.positionals.length > 0) {
    throw new UsageError("use it as: toolkeep approve --withdraw TOOL --session NAME.")
  }
  const reader = await store.read(session)
  if (!reader) throw await noSuchSession(store, session)
  const found = (await readGrants(reader)).filter((grant) => grant.tool === tool)
  if (found.length === 0) {
    const message = `Nothing is granted for ${quoted(tool)} in the session ${quoted(session)}.`
    throw new ToolFailure({ kind: "not_found", message, retryable: false })
  }
  const record = await store.open(session)
  try {
    const grants = recordGrants(async () => record, systemClock)
    for (const grant of found) await grants.remove(grant)
  } finally {
    await record.close()
  }
  terminal.note(`toolkeep: withdrawn. ${quoted(session)} asks about ${tool} again.\n`)
  return 0
}

const answers = ["always", "deny", "edit", "say", "withdraw"]

/** What the flags say; null where there are none. */
function readAnswer(given: Arguments): ParkedAnswer | null {
  const flags = given.flags.filter((flag) => answers.includes(flag))
  if (flags.length > 1) throw new UsageError(`give one of --${flags.join(" and --")}.`)
  const [reason, edit, text] = [given.text("deny"), given.text("edit"), given.text("say")]
  if (given.is("always")) return { kind: "approved", always: true, by }
  if (reason !== undefined) return { kind: "denied", reason, by }
  if (edit !== undefined) return { kind: "edited", input: readEdit(edit), by }
  return text === undefined ? null : { kind: "said", text, by }
}

function readEdit(text: string): unknown {
  const input = parseObject(text)
  if (input) return input
  throw new UsageError(`--edit takes the arguments as a JSON object, such as '{"path": "a.txt"}'.`)
}

/** By its id, or by the end of it that no other open question has. */
function findQuestion(open: readonly OpenQuestion[], wanted: string): OpenQuestion {
  const exact = open.find(({ id }) => id === wanted)
  const ending = open.filter(({ id }) => id.endsWith(wanted))
  const found = exact ?? (ending.length === 1 ? ending[0] : undefined)
  if (found) return found
  if (ending.length > 1) throw new UsageError(`several questions end in ${quoted(wanted)}.`)
  throw answeredBefore(wanted)
}

function answeredBefore(wanted: string): ToolFailure {
  const message = `There is no open question ${quoted(wanted)}: it was answered before or never asked. toolkeep approve lists the open ones.`
  return new ToolFailure({ kind: "not_found", message, retryable: false })
}

function requireFit({ kind }: ParkedQuestion, answer: ParkedAnswer): void {
  const isSaid = answer.kind === "said"
  if (kind === "clarify" && !isSaid && answer.kind !== "denied") {
    throw new UsageError("the model asks for an answer: give it with --say TEXT.")
  }
  if (kind === "approval" && isSaid) {
    throw new UsageError("the question is whether a call may run: use --deny REASON, or no flag.")
  }
}

async function listQuestions(open: readonly OpenQuestion[], terminal: Terminal): Promise<void> {
  if (!terminal.forPeople) {
    const listed = open.map(({ id, askedAt, question, session, root }) => {
      return { id, session: session.name, run: root.name, askedAt, ...question }
    })
    return terminal.printJson(listed, 2)
  }
  if (open.length === 0) return terminal.print("There are no open questions.\n")
  const lines = open.flatMap(({ id, askedAt, question, session }) => [
    `${terminal.style("bold", id)} ${terminal.style("dim", `${new Date(askedAt).toLocaleString()}, session ${markUnseen(session.name)}`)}`,
    ...question.text.split("\n").map((line) => `  ${line}`),
    ...(question.options ?? []).map((option) => `  - ${markUnseen(option)}`),
    "",
  ])
  await terminal.print(`${lines.join("\n")}Answer one: toolkeep approve <question>\n`)
}

function quoted(text: string): string {
  return JSON.stringify(text)
}
