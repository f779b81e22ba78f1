import { relative } from "node:path"
import { createId, systemClock } from "../../kit/index.ts"
import { containFaults } from "../../node/index.ts"
import { loadPatternLoader, type SourceProblem } from "../../reactive/index.ts"
import { createPreviewHub } from "../../sandbox/index.ts"
import { toolkeepHome } from "../../session/index.ts"
import { type CommandRun, UsageError } from "../flags/command.ts"
import { createStore } from "../flags/open-record.ts"
import { openKeep, readPolicy } from "../flags/open-session.ts"
import { readAddress } from "../flags/read-flags.ts"
import { faultLog, type Terminal } from "../output/terminal.ts"
import { findModel } from "../run/agent-settings.ts"
import { cannotListen } from "../serve/cannot-listen.ts"
import { consoleLink } from "../serve/console-link.ts"
import { announceServer, runningServer } from "../serve/running-server.ts"
import { hostLines, serveUntilStopped } from "../serve/until-stopped.ts"
import { stopSignal } from "../stop-signal.ts"
import { openDevPattern } from "./dev-pattern.ts"
import { watchLoops } from "./loop-watch.ts"
import { readFileName, readInputs } from "./read-pattern.ts"

/** Enough to reach the code of a pattern from inside the library. */
const stackFrames = 40

/** `toolkeep dev`. */
export const serveDev: CommandRun = async (given, terminal) => {
  const { file, address } = readFileName(given)
  const inputs = readInputs(given)
  const { port } = readAddress(given, process.env)
  const signal = stopSignal()
  using _contained = containFaults(faultLog(terminal))
  Error.stackTraceLimit = stackFrames
  using _watched = watchLoops(
    `toolkeep: something in ${shown(file)} loops for ever, so this process was ended, with everything that it ran in sandboxes.`,
  )
  const home = toolkeepHome()
  using loader = await openLoader()
  await using store = await createStore(given)
  const { createPatternPages, createQuestions, PatternPage, serveApi } = await import(
    "../../http/index.ts"
  )
  const questions = createQuestions({ store, clock: systemClock })
  const previewHub = createPreviewHub()
  const opening = { record: store, durable: false, previewHub, effects: true, isServer: true }
  await using keep = await openKeep(given, terminal, { ...opening, approve: questions.approve })
  const session = keep.session(`${address}-${createId("dev").slice(-6)}`)
  const onProblem = (problem: SourceProblem) => showProblem(terminal, problem)
  const page = new PatternPage({
    ...{ address, file, session: session.name, onProblem },
    problemOf: (error) => loader.problemOf(error),
  })
  const patterns = createPatternPages()
  patterns.add(page)
  const onReload = () => terminal.note(`toolkeep: ${shown(file)} was reloaded\n`)
  const model = findModel(given, await readPolicy(given))
  const options = {
    ...{ session, store: given.text("store"), image: given.text("image"), model },
  }
  await using _running = await openDevPattern({
    ...{ file, inputs, options, loader, page, onReload, onProblem },
  })
  const server = await serveApi(keep, {
    ...{ store, home, questions, previewHub, port, patterns },
  }).catch(cannotListen)
  const { url, token } = server
  // Where a server is up with this home, toolkeep link goes on to mean that one.
  const isOnly = runningServer(home) === null
  const withdraw = isOnly ? await announceServer(home, { url, token, address: url }) : () => {}
  const link = () => consoleLink(url, server.signInCode(), `/p/${address}`)
  await terminal.print(
    [
      `${terminal.style("bold", page.name)} is at ${terminal.style("cyan", link())}`,
      terminal.style("dim", "  (signs in one browser, within ten minutes; o opens it)"),
      ...hostLines(terminal, keep),
      `${terminal.style("dim", `${shown(file)} is reloaded when it changes. Ctrl-C stops.`)}\n`,
    ].join("\n"),
  )
  await serveUntilStopped(terminal, {
    server,
    link,
    questions,
    signal,
    withdraw,
    stopping: "stopping",
  })
  return 0
}

async function openLoader() {
  const { createPatternLoader } = await loadPatternLoader()
  return createPatternLoader().catch((error: Error) => {
    throw new UsageError(error.message)
  })
}

function shown(file: string): string {
  const path = relative(process.cwd(), file)
  return path.startsWith("..") ? file : path
}

function showProblem({ note, style }: Terminal, problem: SourceProblem): void {
  const { message, file, line, column, frame } = problem
  const place = [file === undefined ? undefined : shown(file), line, column]
    .filter((part) => part !== undefined)
    .join(":")
  note(`${style("red", message)}${place === "" ? "" : ` (${place})`}\n`)
  if (frame !== undefined) note(`${frame}\n`)
}
