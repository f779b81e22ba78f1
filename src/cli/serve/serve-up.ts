import { systemClock } from "../../kit/index.ts"
import { type HttpServer, serverLimits } from "../../mcp/index.ts"
import { containFaults } from "../../node/index.ts"
import { createPreviewHub } from "../../sandbox/index.ts"
import { cleanSometimes, toolkeepHome } from "../../session/index.ts"
import type { CommandRun } from "../flags/command.ts"
import { createStore } from "../flags/open-record.ts"
import { openKeep, readPolicy } from "../flags/open-session.ts"
import { ownServer } from "../flags/own-server.ts"
import {
  readAddress,
  readClientOptions,
  readPublicUrl,
  requireMounts,
} from "../flags/read-flags.ts"
import { connectionLines } from "../output/connection-lines.ts"
import { showCalls } from "../output/show-calls.ts"
import { faultLog, type Terminal } from "../output/terminal.ts"
import { stopSignal } from "../stop-signal.ts"
import { cannotListen } from "./cannot-listen.ts"
import { consoleLink } from "./console-link.ts"
import { announceServer } from "./running-server.ts"
import { serverAgent } from "./server-agent.ts"
import { hostLines, serveUntilStopped } from "./until-stopped.ts"

/** `toolkeep up`. */
export const serveUp: CommandRun = async (given, terminal) => {
  const signal = stopSignal()
  using _contained = containFaults(faultLog(terminal))
  const { port, hostname } = readAddress(given, process.env)
  const publicUrl = readPublicUrl(given)
  const hasConsole = !given.is("no-console")
  const options = readClientOptions(given)
  const home = toolkeepHome()
  await using store = await createStore(given)
  const { createQuestions, serveApi } = await import("../../http/index.ts")
  const questions = createQuestions({ store, clock: systemClock })
  const previewHub = createPreviewHub()
  const opening = { record: store, durable: false, previewHub, effects: true, isServer: true }
  const keep = await openKeep(given, terminal, opening)
  let stopCleaning = () => {}
  try {
    requireMounts(keep.host, options.mountRoots)
    stopCleaning = cleanSometimes(home)
    const onCall = showCalls(terminal)
    const server = await serveApi(keep, {
      ...{ ...options, store, home, questions, onCall, port, hostname },
      ...{ publicUrl, previewHub, console: hasConsole, program: ownServer(given) },
      ...{ opensandbox: given.is("opensandbox"), e2b: given.is("e2b") },
      prove: async (...asked) => (await import("../conform/prove-host.ts")).proveHost(...asked),
      ...{ ownAgent: serverAgent(given), policyAgents: agentsOf(await readPolicy(given)) },
    }).catch(cannotListen)
    const { url, token } = server
    const address = publicUrl ?? url
    const withdraw = await announceServer(home, { url, token, address })
    const link = () => consoleLink(address, server.signInCode())
    const wanted = port ?? serverLimits.port
    const moved = server.port === wanted || port === 0 ? "" : ` (port ${wanted} is taken)`
    await terminal.print(
      [
        `${terminal.style("bold", "Toolkeep is up")} at ${terminal.style("cyan", server.url)}${moved}`,
        ...(hasConsole ? consoleLines(terminal, link()) : []),
        ...hostLines(terminal, keep),
        "",
        ...connectionLines(server.connections(), terminal),
        ...(given.is("opensandbox") ? openSandboxLines(terminal, server) : []),
        ...(given.is("e2b") ? e2bLines(terminal, address, token) : []),
        "",
        "Each ?session= has its own sandboxes. Clients with the same token and the same name share them,",
        "and so do two windows of one program: use another name to separate them.",
        "",
        `${terminal.style("dim", "Calls are shown here as they happen. Ctrl-C stops the server.")}\n`,
      ].join("\n"),
    )
    if (hostname !== undefined && !isLoopback(hostname)) terminal.note(`${openToOthers}\n`)
    await serveUntilStopped(terminal, {
      ...{ server, questions, signal, withdraw, link: hasConsole ? link : null },
      stopping: "stopping after the running calls",
    })
    return 0
  } finally {
    stopCleaning()
    await keep.close()
  }
}

function agentsOf(policy: Awaited<ReturnType<typeof readPolicy>>): readonly string[] {
  return typeof policy === "string" ? [] : Object.keys(policy.agents ?? {})
}

function consoleLines({ style }: Terminal, link: string): string[] {
  const about = "signs in one browser, within ten minutes; o opens it, toolkeep link prints another"
  return [`Console: ${style("cyan", link)}`, style("dim", `  (${about})`)]
}

/** The variables that OpenSandbox's SDKs read. */
function openSandboxLines({ style }: Terminal, { url, token }: HttpServer): string[] {
  return [
    "",
    `${style("bold", "OpenSandbox")}: its SDKs use this server with`,
    `  export OPEN_SANDBOX_DOMAIN=${new URL(url).host} OPEN_SANDBOX_API_KEY=${token}`,
  ]
}

/** The variables that E2B's SDKs read. */
function e2bLines({ style }: Terminal, address: string, token: string): string[] {
  const url = new URL("/e2b", address).href
  return [
    "",
    `${style("bold", "E2B")}: its SDKs use this server with`,
    `  export E2B_API_URL=${url} E2B_SANDBOX_URL=${url} E2B_API_KEY=${token}`,
  ]
}

const openToOthers =
  "toolkeep: warning: others on the network can connect here, and only the token protects what is served; what is sent is not encrypted."

function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "::1" || hostname.startsWith("127.")
}
