import { readFile } from "node:fs/promises"
import { type RunLimits, readRun, valueTool } from "../../agent/index.ts"
import { DefinitionError, parseObject, ToolFailure } from "../../contract/index.ts"
import { createId, errorCode, errorText, suggest } from "../../kit/index.ts"
import type { RecordStore } from "../../store/index.ts"
import { agentToolNames, catalogue } from "../../tools/index.ts"
import { type Arguments, type CommandRun, UsageError } from "../flags/command.ts"
import { createStore } from "../flags/open-record.ts"
import { readAmount, readCount, readInput, readTime } from "../flags/read-flags.ts"
import { runSession } from "./run-session.ts"

/** `toolkeep run`. */
export const run: CommandRun = async (given, terminal) => {
  const limits = readLimits(given)
  if (given.is("yes") && given.is("park")) {
    throw new UsageError("--yes approves what --park would wait for; give one of them.")
  }
  const [instructions, schema, task] = await Promise.all([
    readText(given, "instructions"),
    readSchema(given),
    readTask(given),
  ])
  await using store = await createStore(given)
  const session = await chooseSession(given, store)
  const from = readCount(given, "from")
  if (task === null) await requireRun(store, session)
  // Awaited here: the store is closed when this returns.
  return await runSession(given, terminal, {
    store,
    session,
    task,
    from,
    instructions,
    schema,
    limits,
  })
}

function readLimits(given: Arguments): RunLimits {
  const rounds = readCount(given, "max-rounds")
  const tokens = readCount(given, "max-tokens")
  const cost = readAmount(given, "max-cost")
  const commandsPerTurn = readCount(given, "max-commands")
  const milliseconds = readTime(given, "max-time")
  return {
    ...(rounds !== undefined && { rounds }),
    ...readCalls(given),
    ...(commandsPerTurn !== undefined && { commandsPerTurn }),
    ...(tokens !== undefined && { tokens }),
    ...(cost !== undefined && { cost }),
    ...(milliseconds !== undefined && { milliseconds }),
  }
}

/** `--max-calls 100,web.search=5`: of all tools together, and of single ones. */
function readCalls(given: Arguments): Pick<RunLimits, "calls" | "callsOf"> {
  const parts = given.text("max-calls")?.split(",") ?? []
  const read = parts.map((part) => /^(?:([^=\s]+)=)?([1-9]\d{0,14})$/.exec(part.trim()))
  const totals = read.filter((one) => one?.[1] === undefined)
  if (read.includes(null) || totals.length > 1) {
    throw new UsageError(
      "--max-calls takes a number, numbers by tool, or both: --max-calls 100,web.search=5.",
    )
  }
  const callsOf = read.flatMap((one) => (one?.[1] ? [[one[1], Number(one[2])] as const] : []))
  const known = [...catalogue().map(({ name }) => name), ...agentToolNames]
  for (const [tool] of callsOf) {
    if (known.includes(tool) || tool.startsWith("mcp:")) continue
    const hint = suggest(tool, known, "toolkeep tools lists those there are.")
    throw new UsageError(`--max-calls names ${JSON.stringify(tool)}, which is not a tool; ${hint}`)
  }
  const [total] = totals
  return {
    ...(total && { calls: Number(total[2]) }),
    ...(callsOf.length > 0 && { callsOf: Object.fromEntries(callsOf) }),
  }
}

/** Null to continue the last run. */
async function readTask(given: Arguments): Promise<string | null> {
  const [word] = given.positionals
  if (word === undefined) {
    if (given.is("continue")) return null
    throw new UsageError('no task given: toolkeep run "Write a haiku to haiku.txt."')
  }
  const task = word === "-" ? await readInput() : word
  if (task.trim() === "") throw new UsageError("the task is empty.")
  return task
}

async function readText(given: Arguments, flag: string): Promise<string | undefined> {
  const file = given.text(flag)
  if (file === undefined) return undefined
  return readFile(file, "utf8").catch((error) => {
    throw new UsageError(
      `--${flag} ${file} can't be read (${errorCode(error) ?? errorText(error)}).`,
    )
  })
}

async function readSchema(
  given: Arguments,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const text = await readText(given, "schema")
  if (text === undefined) return undefined
  const schema = parseObject(text)
  if (!schema) throw new UsageError(`--schema ${given.text("schema")} is not a JSON object.`)
  try {
    valueTool(schema)
  } catch (error) {
    if (!(error instanceof DefinitionError)) throw error
    throw new UsageError(`--schema ${given.text("schema")} can't be used: ${error.message}`)
  }
  return schema
}

/** The one that is named, the latest one to continue, or a new one. */
async function chooseSession(given: Arguments, store: RecordStore): Promise<string> {
  const named = given.text("session")
  if (named !== undefined) return named
  if (!given.is("continue")) return createId("run").replace("_", "-")
  for (const { name } of await store.sessions({ parent: null })) {
    const reader = await store.read(name)
    if (reader && (await readRun(reader))) return name
  }
  throw nothingToContinue("No session has a run.")
}

async function requireRun(store: RecordStore, session: string): Promise<void> {
  const reader = await store.read(session)
  const last = reader && (await readRun(reader))
  if (!last) throw nothingToContinue(`The session ${JSON.stringify(session)} has no run.`)
  const { end } = last
  if (end?.why !== "finished" && end?.why !== "completed") return
  throw nothingToContinue(`The last run of the session ${JSON.stringify(session)} is done.`)
}

function nothingToContinue(what: string): ToolFailure {
  const message = `${what} There is nothing to continue: give a task, as in toolkeep run --continue "And now ...".`
  return new ToolFailure({ kind: "not_found", message, retryable: false })
}
