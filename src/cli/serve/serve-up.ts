import { once } from "node:events"
import { errorText, systemClock } from "../../kit/index.ts"
import { serverLimits } from "../../mcp/index.ts"
import { containFaults } from "../../node/index.ts"
import { createPreviewHub } from "../../sandbox/index.ts"
import { cleanSometimes, createHomeRecord, toolkeepHome } from "../../session/index.ts"
import { type CommandRun, UsageError } from "../flags/command.ts"
import { openKeep } from "../flags/open-session.ts"
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
import { consoleLink } from "./console-link.ts"
import { openOnKey } from "./open-on-key.ts"
import { announceServer } from "./running-server.ts"

/** `toolkeep up`. */
export const serveUp: CommandRun = async (given, terminal) => {
  const signal = stopSignal()
  using _contained = containFaults(faultLog(terminal))
  const { port, hostname } = readAddress(given, process.env)
  const publicUrl = readPublicUrl(given)
  const hasConsole = !given.is("no-console")
  const options = readClientOptions(given)
  const home = toolkeepHome()
  await using store = await createHomeRecord(home)
  const { createQuestions, serveApi } = await import("../../http/index.ts")
  const questions = createQuestions({ store, clock: systemClock })
  const previewHub = createPreviewHub()
  const opening = { record: store, durable: false, previewHub, effects: true }
  const keep = await openKeep(given, terminal, opening)
  let stopCleaning = () => {}
  try {
    requireMounts(keep.host, options.mountRoots)
    stopCleaning = cleanSometimes(home)
    const onCall = showCalls(terminal)
    const server = await serveApi(keep, {
      ...{ ...options, store, home, questions, onCall, port, hostname },
      ...{ publicUrl, previewHub, console: hasConsole, program: ownServer(given) },
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
        `Sandboxes: ${keep.host.name}. ${keep.host.summary}`,
        ...(keep.fallback === null ? [] : [terminal.style("yellow", keep.fallback)]),
        "",
        ...connectionLines(server.connections(), terminal),
        "",
        "Each ?session= has its own sandboxes. Clients with the same token and the same name share them,",
        "and so do two windows of one program: use another name to separate them.",
        "",
        `${terminal.style("dim", "Calls are shown here as they happen. Ctrl-C stops the server.")}\n`,
      ].join("\n"),
    )
    if (hostname !== undefined && !isLoopback(hostname)) terminal.note(`${openToOthers}\n`)
    terminal.outliveOutput()
    const stopKeys = hasConsole ? openOnKey(terminal, link) : () => {}
    if (!signal.aborted) await once(signal, "abort")
    stopKeys()
    withdraw()
    terminal.note("toolkeep: stopping after the running calls; press again to exit at once\n")
    await server.close()
    return 0
  } finally {
    stopCleaning()
    await keep.close()
  }
}

function consoleLines({ style }: Terminal, link: string): string[] {
  const about = "signs in one browser, within ten minutes; o opens it, toolkeep link prints another"
  return [`Console: ${style("cyan", link)}`, style("dim", `  (${about})`)]
}

const openToOthers =
  "toolkeep: warning: others on the network can connect here, and only the token protects what is served; what is sent is not encrypted."

function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "::1" || hostname.startsWith("127.")
}

function cannotListen(error: unknown): never {
  const isListening = error instanceof Error && "syscall" in error && error.syscall === "listen"
  if (!isListening) throw error
  throw new UsageError(
    `the server can't listen there (${errorText(error)}). Choose another with --port or --listen.`,
  )
}
