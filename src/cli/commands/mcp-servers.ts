import { readServers } from "../../config/index.ts"
import { ToolFailure } from "../../contract/index.ts"
import { markUnseen } from "../../kit/index.ts"
import { type Bridge, createBridge, type ServerStatus } from "../../mcp/index.ts"
import { describeValue } from "../../runtime/index.ts"
import { openToolkeep } from "../../session/index.ts"
import type { CommandRun } from "../flags/command.ts"
import { UsageError } from "../flags/command.ts"
import { readPolicy } from "../flags/open-session.ts"
import type { Arguments } from "../flags/read-arguments.ts"
import type { Terminal } from "../output/terminal.ts"

/** `toolkeep mcp list`, `approve`, `login` and `logout`: the MCP servers that are bridged in. */
export const mcpServers: CommandRun = async (given, terminal) => {
  const [verb, server, tool] = given.positionals
  if (verb === "list" && server === undefined) {
    return withBridge(given, terminal, async (bridge) => {
      await bridge.prepare()
      return printList(bridge.list(), given, terminal)
    })
  }
  if (verb === "approve" && server !== undefined) {
    return withBridge(given, terminal, (bridge) => approve(bridge, { server, tool }, terminal))
  }
  if ((verb === "login" || verb === "logout") && server !== undefined && tool === undefined) {
    const { mcpLogin, mcpLogout } = await import("./mcp-login.ts")
    return (verb === "login" ? mcpLogin : mcpLogout)(server, given, terminal)
  }
  throw new UsageError(
    "there are toolkeep mcp list, mcp approve <server> [tool], mcp login <server> and mcp logout <server>.",
  )
}

async function withBridge(
  given: Arguments,
  terminal: Terminal,
  use: (bridge: Bridge) => Promise<number>,
): Promise<number> {
  const policy = await readPolicy(given)
  const specs = typeof policy === "string" ? [] : readServers(policy)
  const { promise, resolve } = Promise.withResolvers<Bridge>()
  const keep = await openToolkeep({
    host: given.text("host") ?? "auto",
    policy,
    onWarning: (warning) => terminal.note(`toolkeep: warning: ${warning}\n`),
    sources: [
      (parts) => {
        const bridge = createBridge(specs, parts)
        resolve(bridge)
        return bridge
      },
    ],
  })
  try {
    keep.session("mcp")
    return await use(await promise)
  } finally {
    await keep.close()
  }
}

async function approve(
  bridge: Bridge,
  { server, tool }: { readonly server: string; readonly tool: string | undefined },
  terminal: Terminal,
): Promise<number> {
  try {
    const approved = await bridge.approve(server, tool)
    if (approved.length === 0 && tool !== undefined) {
      throw new UsageError(
        `${server} has no tool ${JSON.stringify(tool)}; toolkeep mcp list shows them.`,
      )
    }
    await terminal.print(
      `Approved as they are now, of ${server}: ${approved.map(nameOf).join(", ") || "nothing"}.\n`,
    )
    return 0
  } catch (error) {
    if (!(error instanceof ToolFailure)) throw error
    terminal.note(`toolkeep: ${error.message}\n`)
    return 1
  }
}

async function printList(
  servers: readonly ServerStatus[],
  given: Arguments,
  terminal: Terminal,
): Promise<number> {
  if (given.is("json") || !terminal.forPeople) {
    await terminal.printJson(servers, 2)
  } else if (servers.length === 0) {
    await terminal.print(
      "No MCP servers are configured: name them under mcpServers in toolkeep.yaml.\n",
    )
  } else {
    await terminal.print(`${servers.map((server) => describe(server, terminal)).join("\n")}\n`)
  }
  return servers.every(({ state }) => state.kind === "ready") ? 0 : 1
}

function describe({ server, state, problem, tools }: ServerStatus, terminal: Terminal): string {
  const why = "why" in state ? `: ${inOneLine(state.why)}` : ""
  const width = Math.max(...tools.map(({ name }) => name.length), 0)
  const lines = tools.flatMap(({ name, state: one }) => {
    const start = `  ${name.padEnd(width)}  `
    if (one.kind === "ready") return [`${start}${one.kind}`]
    const said = `${start}${terminal.style("yellow", `${one.kind}: ${inOneLine(one.why)}`)}`
    if (one.kind !== "held") return [said]
    return [said, ...describeValue(one.definition).map((line) => `    | ${line}`)]
  })
  const color = state.kind === "ready" ? "green" : "red"
  const head = `${terminal.style("bold", server)}  ${terminal.style(color, `${state.kind}${why}`)}`
  return [head, ...(problem === null ? [] : [`  ${problem}`]), ...lines].join("\n")
}

/** A server chooses its tools' names, and what it complains about. */
function nameOf(name: string): string {
  return /^[\w.-]+$/.test(name) ? name : markUnseen(JSON.stringify(name))
}

function inOneLine(text: string): string {
  return markUnseen(text.replaceAll(/\s+/g, " "))
}
