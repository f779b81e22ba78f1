import { failure, type Tool, ToolFailure } from "../../contract/index.ts"
import { createPolicy, type Explanation, type Grant, policyOfProfile } from "../../policy/index.ts"
import { noSuchSession, readGrants } from "../../session/index.ts"
import { requireCaller } from "../flags/check-policy.ts"
import { type Arguments, type CommandRun, UsageError } from "../flags/command.ts"
import { createStore } from "../flags/open-record.ts"
import { openSession, readPolicy } from "../flags/open-session.ts"
import { printEnvelope } from "../output/print-envelope.ts"
import type { Terminal } from "../output/terminal.ts"
import { findTool } from "./list-tools.ts"

/** `toolkeep policy explain`. */
export const explainPolicy: CommandRun = async (given, terminal) => {
  const [verb, name = "", text] = given.positionals
  if (verb !== "explain") {
    throw new UsageError(`unknown subcommand ${verb}: use toolkeep policy explain <tool>.`)
  }
  const wanted = await readPolicy(given)
  requireCaller(given, wanted)
  const { tool, home } = await toolNamed(name, given, terminal)
  const caller = { agent: given.text("agent"), provider: given.text("provider") }
  const checked = text === undefined ? undefined : tool.check(text)
  if (checked && !checked.ok) {
    await printEnvelope(failure(name, checked.failure), { terminal })
    return 1
  }
  const policy = typeof wanted === "string" ? policyOfProfile(wanted) : createPolicy(wanted)
  const where = { start: { home }, sandbox: "default" }
  const grants = await grantsOf(given)
  const explanation = policy.explain({ tool, ...caller, input: checked?.value, ...where, grants })
  await print(explanation, tool, terminal)
  return 0
}

/** Without a session there is nothing to show. */
async function grantsOf(given: Arguments): Promise<readonly Grant[] | undefined> {
  const name = given.text("session")
  if (name === undefined) return undefined
  await using store = await createStore(given)
  const reader = await store.read(name)
  if (reader) return await readGrants(reader)
  throw await noSuchSession(store, name)
}

/** Looked up among all tools: the policy in question may hide it. */
async function toolNamed(
  name: string,
  given: Arguments,
  terminal: Terminal,
): Promise<{ readonly tool: Tool; readonly home: string }> {
  const { keep, session } = await openSession({ ...given, text: onlyWhere(given) }, terminal)
  try {
    await session.prepare(name)
    const tool = findTool(session.allTools(), name)
    return { tool, home: keep.host.can.home ?? (await session.workspace()).cwd }
  } catch (error) {
    if (error instanceof ToolFailure) throw new UsageError(error.message)
    throw error
  } finally {
    await keep.close()
  }
}

function onlyWhere(given: Arguments): Arguments["text"] {
  return (flag) => (flag === "host" || flag === "config" ? given.text(flag) : undefined)
}

async function print(explanation: Explanation, tool: Tool, terminal: Terminal): Promise<void> {
  if (!terminal.forPeople) return terminal.printJson({ tool: tool.name, ...explanation }, 2)
  const { verdict, steps, dependsOnArguments } = explanation
  const width = Math.max(...steps.map(({ stage }) => stage.length))
  const rows = steps.map(({ stage, says, rule, decided }) => {
    const line = rule.line === undefined ? "" : ` (line ${rule.line})`
    const row = `${decided ? ">" : " "} ${stage.padEnd(width)}  ${says.padEnd(8)} ${rule.text}${line}`
    return decided ? terminal.style("bold", row) : row
  })
  const colour = verdict.kind === "allow" ? "green" : verdict.kind === "ask" ? "yellow" : "red"
  const depends = dependsOnArguments ? ", unless its arguments match a rule above" : ""
  const head = `${tool.name}: ${terminal.style(colour, verdict.kind)}${depends}`
  await terminal.print(`${[head, ...rows].join("\n")}\n`)
}
