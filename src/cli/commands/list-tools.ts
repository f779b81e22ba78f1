import { renderTools, type ToolDescription, toolFormats } from "../../contract/index.ts"
import { suggest } from "../../kit/index.ts"
import { type Arguments, type CommandRun, UsageError } from "../flags/command.ts"
import { openSession } from "../flags/open-session.ts"
import { readChoice } from "../flags/read-flags.ts"
import type { Terminal } from "../output/terminal.ts"

/** `toolkeep tools`. */
export const listTools: CommandRun = async (given, terminal) => {
  const format = readChoice(given, "format", toolFormats)
  const { keep, session } = await openSession(given, terminal)
  try {
    const asked = { agent: given.text("agent"), provider: given.text("provider") }
    await session.prepare()
    const atFirst: readonly ToolDescription[] = session.tools(asked)
    const isWhole = given.text("defer") !== undefined
    const all = isWhole ? atFirst : session.tools({ ...asked, all: true })
    const [name] = given.positionals
    const tools = name === undefined ? all : [findTool(all, name)]
    if (format) {
      await terminal.printJson(renderTools(format, tools), 2)
    } else if (!terminal.forPeople) {
      await terminal.printJson(tools.map(describe), 2)
    } else {
      const foot = `${tools.length} tools on the ${keep.host.name} host${listed(all, atFirst)}`
      await printForPeople(tools, terminal, { given, foot })
    }
    return 0
  } finally {
    await keep.close()
  }
}

function describe(tool: ToolDescription) {
  const { name, title, description, inputSchema, groups, effects, timeoutMs } = tool
  return { name, title, description, inputSchema, groups, effects, timeoutMs }
}

function listed(all: readonly unknown[], atFirst: readonly unknown[]): string {
  if (atFirst.length === all.length) return ""
  return `; a model sees ${atFirst.length} at first and finds the others with tools.search`
}

async function printForPeople(
  tools: readonly ToolDescription[],
  terminal: Terminal,
  { given, foot }: { readonly given: Arguments; readonly foot: string },
): Promise<void> {
  const width = Math.max(...tools.map((tool) => tool.name.length))
  const lines = tools.map((tool) => {
    const sentence = tool.description.split(/\.(?:\s|$)/)[0] ?? ""
    return `${terminal.style("bold", tool.name.padEnd(width))}  ${sentence}`
  })
  const schema = given.positionals.length === 0 ? [] : tools.map(describeArguments)
  await terminal.print(`${[...lines, ...schema, terminal.style("dim", foot)].join("\n")}\n`)
}

function describeArguments(tool: ToolDescription): string {
  const required = tool.inputSchema.required ?? []
  return Object.entries(tool.inputSchema.properties ?? {})
    .map(([name, schema]) => {
      const mark = required.includes(name) ? "" : " (optional)"
      return `  ${name}${mark}: ${schema.description ?? ""}`
    })
    .join("\n")
}

/** The tool of this name, or a UsageError that names the one most likely meant. */
export function findTool<Described extends ToolDescription>(
  tools: readonly Described[],
  name: string,
): Described {
  const found = tools.find((tool) => tool.name === name)
  if (found) return found
  const names = tools.map((tool) => tool.name)
  const hint = suggest(name, names, "toolkeep tools lists the tools.")
  throw new UsageError(`there is no tool ${JSON.stringify(name)} here; ${hint}`)
}
