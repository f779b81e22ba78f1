import { createReadStream } from "node:fs"
import { open } from "node:fs/promises"
import { errorCode, markUnseen } from "../../kit/index.ts"
import {
  deleteSession,
  exportSession,
  importSession,
  noSuchSession,
  releaseSession,
  toolkeepHome,
} from "../../session/index.ts"
import type { RecordedSession, RecordStore } from "../../store/index.ts"
import { type Arguments, type CommandRun, UsageError } from "../flags/command.ts"
import { createStore, openStore } from "../flags/open-record.ts"
import { describeEntry } from "../output/describe-entry.ts"
import type { Terminal } from "../output/terminal.ts"
import { stopSignal } from "../stop-signal.ts"

type SessionRun = (
  given: { readonly name: string; readonly home: string; readonly flags: Arguments },
  terminal: Terminal,
) => Promise<number>

/** `toolkeep sessions`: what was recorded of sessions. */
export const sessions: CommandRun = async (given, terminal) => {
  const [verb = "", name] = given.positionals
  const home = toolkeepHome()
  if (verb === "list" && name === undefined) return list(given, terminal)
  const run = Object.hasOwn(verbs, verb) ? verbs[verb] : undefined
  if (!run || name === undefined) throw new UsageError(usage)
  return run({ name, home, flags: given }, terminal)
}

const usage =
  "there are toolkeep sessions list, show <name>, delete <name>, release <name>, export <name> and import <file>."

/** At most this many are listed. */
const mostListed = 10_000

async function list(given: Arguments, terminal: Terminal): Promise<number> {
  await using store = await openStore(given)
  const found = (await store?.sessions({ limit: mostListed })) ?? []
  if (!terminal.forPeople) {
    await terminal.printJson(found.map(sessionJson), 2)
    return 0
  }
  const width = Math.max(0, ...found.map(({ name }) => markUnseen(name).length))
  const lines = found.map(({ name, head, state, owner, updatedAt }) => {
    const time = new Date(updatedAt).toLocaleString("sv")
    const what = owner === null ? state : `${state}, open`
    return `${markUnseen(name).padEnd(width)}  ${time}  ${String(head).padStart(6)} entries  ${what}\n`
  })
  await terminal.print(lines.join("") || "No sessions are recorded.\n")
  return 0
}

function sessionJson(session: RecordedSession) {
  const { id, name, parent, state, head, owner } = session
  return {
    ...{ id, name, parent, state, entries: head, open: owner !== null },
    created: new Date(session.createdAt).toISOString(),
    updated: new Date(session.updatedAt).toISOString(),
  }
}

const show: SessionRun = async ({ name, flags }, terminal) => {
  await using store = await requireRecord(flags, name)
  const reader = await store.read(name)
  if (!reader) throw await noSuchSession(store, name)
  const print = async (entry: Parameters<typeof describeEntry>[0]) => {
    if (terminal.forPeople) await terminal.print(`${describeEntry(entry, terminal)}\n`)
    else await terminal.printJson(entry, 0)
  }
  if (flags.is("follow")) {
    for await (const entry of reader.follow({ after: 0, signal: stopSignal() })) await print(entry)
    return 0
  }
  for (let after = 0; ; ) {
    const page = await reader.entries({ after })
    const last = page.at(-1)
    if (!last) return 0
    for (const entry of page) await print(entry)
    after = last.sequence
  }
}

const remove: SessionRun = async ({ name, home, flags }, terminal) => {
  await using store = await openStore(flags)
  const deleted = await deleteSession(store, home, name)
  if (deleted.length === 0) throw await noSuchSession(store, name)
  if (terminal.forPeople) await terminal.print(`Deleted: ${deleted.map(markUnseen).join(", ")}.\n`)
  else await terminal.printJson({ deleted })
  return 0
}

const release: SessionRun = async ({ name, home, flags }, terminal) => {
  await using store = await openStore(flags)
  if (!(await releaseSession(store, home, name))) throw await noSuchSession(store, name)
  await terminal.print(`The session ${markUnseen(name)} can be opened again.\n`)
  return 0
}

const exportTo: SessionRun = async ({ name, flags }, terminal) => {
  await using store = await requireRecord(flags, name)
  const file = flags.text("out")
  if (file === undefined) {
    for await (const line of exportSession(store, name)) await terminal.printAnswer(line)
    return 0
  }
  const lines = exportSession(store, name)[Symbol.asyncIterator]()
  // A name that is not there leaves no file.
  const first = await lines.next()
  await using handle = await openNew(file)
  for (let line = first; !line.done; line = await lines.next()) await handle.write(line.value)
  await terminal.print(`Wrote ${markUnseen(file)}.\n`)
  return 0
}

/** Only its owner may read an export, and it never overwrites a file. */
async function openNew(file: string) {
  try {
    return await open(file, "wx", 0o600)
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw error
    throw new UsageError(`${file} exists already. Give another name with --out, or remove it.`)
  }
}

const importFrom: SessionRun = async ({ name: file, flags }, terminal) => {
  await using store = await createStore(flags)
  const imported = await importSession(store, createReadStream(file), flags.text("name"))
  const { name, entries } = imported
  if (terminal.forPeople)
    await terminal.print(`Imported ${markUnseen(name)} with ${entries} entries.\n`)
  else await terminal.printJson(imported)
  return 0
}

const verbs: Readonly<Record<string, SessionRun>> = {
  show,
  delete: remove,
  release,
  export: exportTo,
  import: importFrom,
}

async function requireRecord(given: Arguments, name: string): Promise<RecordStore> {
  const store = await openStore(given)
  if (store) return store
  throw await noSuchSession(null, name)
}
