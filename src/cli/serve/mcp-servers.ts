import { findServer, readServers } from "../../config/index.ts"
import { markUnseen } from "../../kit/index.ts"
import { type Bridge, loadBridge, loadLogin, type ServerStatus } from "../../mcp/index.ts"
import { describeValue } from "../../runtime/index.ts"
import { openToolkeep, toolkeepHome } from "../../session/index.ts"
import { type Arguments, type CommandRun, UsageError } from "../flags/command.ts"
import { readPolicy } from "../flags/open-session.ts"
import { readPort } from "../flags/read-flags.ts"
import type { Terminal } from "../output/terminal.ts"
import { stopSignal } from "../stop-signal.ts"

/** `toolkeep mcp list`, `approve`, `login` and `logout`: the MCP servers that are bridged in. */
export const mcpServers: CommandRun = async (given, terminal) => {
  const [verb, server, tool] = given.positionals
  if (verb === "list" && server === undefined) {
    return withBridge(given, terminal, async (bridge) => {
      await bridge.prepare()
      return printList(bridge.list(), terminal)
    })
  }
  if (verb === "approve" && server !== undefined) {
    return withBridge(given, terminal, (bridge) => approve(bridge, { server, tool }, terminal))
  }
  if ((verb === "login" || verb === "logout") && server !== undefined && tool === undefined) {
    return (verb === "login" ? login : logout)(server, given, terminal)
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
  const { createBridge } = await loadBridge()
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
}

async function printList(servers: readonly ServerStatus[], terminal: Terminal): Promise<number> {
  if (!terminal.forPeople) {
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

/** `toolkeep mcp login <server>`: prints where to log in, and waits until the browser is redirected back. */
async function login(name: string, given: Arguments, terminal: Terminal): Promise<number> {
  const server = await readHttpServer(name, given)
  if (server.access.kind !== "login") {
    throw new UsageError(
      `toolkeep.yaml already configures how to authenticate to ${name}; no login is needed.`,
    )
  }
  const { loginToServer } = await loadLogin()
  const onAddress = async (address: URL) => {
    await terminal.print(
      `Open this address in a browser of this machine; the login is at ${address.host}:\n\n${address.href}\n\n`,
    )
    const back = address.searchParams.get("redirect_uri")
    terminal.note(`Waiting for the browser to come back to ${markUnseen(String(back))}\n`)
  }
  const port = readPort(given.text("port"))
  const signal = stopSignal()
  const options = { home: toolkeepHome(), environment: process.env, port, onAddress, signal }
  await loginToServer(server, options)
  await terminal.print(`Logged in to ${name}.\n`)
  return 0
}

/** `toolkeep mcp logout <server>`: forgets its tokens, also those for its former addresses. */
async function logout(name: string, given: Arguments, terminal: Terminal): Promise<number> {
  const server = await readHttpServer(name, given)
  const { logOutOfServer } = await loadLogin()
  const wasThere = await logOutOfServer(server, toolkeepHome())
  const said = wasThere ? `Removed the login to ${name}` : `There was no login to ${name}`
  await terminal.print(`${said}.\n`)
  return 0
}

async function readHttpServer(name: string, given: Arguments) {
  const policy = await readPolicy(given)
  const server = findServer(typeof policy === "string" ? [] : readServers(policy), name)
  if (server.kind === "http") return server
  throw new UsageError(`${name} has no url; only servers with a url need a login.`)
}
