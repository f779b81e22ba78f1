import { type CallContext, ToolFailure } from "../../../contract/index.ts"
import { KeyedLock } from "../../../kit/index.ts"
import { browserLimits } from "../../limits.ts"
import type { SessionPreviews } from "../../session-previews.ts"
import type { ToolDeps } from "../../tool-deps.ts"
import { Downloads } from "../page/downloads.ts"
import { PageEvents } from "../page/page-events.ts"
import { Tabs } from "../page/tabs.ts"
import { Visit, type VisitDeps } from "../page/visit.ts"
import { within } from "../page/within.ts"
import { browserFailure } from "./browser-failure.ts"
import { browserMemoryBytes, type Chromium, startChromium } from "./start-chromium.ts"

/** One browser for a session: started by the first call, and again by the next after it has ended. */
export interface SessionBrowser {
  use<Result>(context: CallContext, act: (visit: Visit) => Promise<Result>): Promise<Result>
  /** False when there was none. */
  end(signal: AbortSignal): Promise<boolean>
  close(): Promise<void>
}

interface Running extends VisitDeps {
  readonly chromium: Chromium
  readonly newMemoryProblem: () => string
}

export interface SessionBrowserDeps extends Pick<ToolDeps, "settings" | "artifacts"> {
  readonly previews: SessionPreviews
}

export function createSessionBrowser(parts: SessionBrowserDeps): SessionBrowser {
  const lock = new KeyedLock()
  const closed = new AbortController()
  let running: Running | null = null

  async function start(signal: AbortSignal): Promise<Running> {
    const events = new PageEvents()
    const { settings, artifacts, previews } = parts
    const chromium = await startChromium({ settings, previews, events, signal })
    const { context, downloads: directory } = chromium
    const newMemoryProblem = memoryProblems(chromium, browserMemoryBytes(settings))
    const tabs = new Tabs(context, events, newMemoryProblem)
    const downloads = new Downloads(context, { artifacts, events, directory })
    return { chromium, events, tabs, downloads, newMemoryProblem }
  }

  async function stop(): Promise<boolean> {
    const ending = running
    running = null
    await ending?.chromium.close()
    return ending !== null
  }

  async function ready(signal: AbortSignal): Promise<Running> {
    if (running && !running.chromium.isRunning()) await stop()
    running ??= await start(signal)
    return running
  }

  async function locked<Result>(signal: AbortSignal, work: () => Promise<Result>) {
    const release = await lock.acquire("browser", "exclusive", signal)
    try {
      return await work()
    } finally {
      release()
    }
  }

  /** A page that answers nothing any more would hold up every later call: its tab is given up. */
  async function recover(): Promise<string> {
    if (!running?.chromium.isRunning()) return ""
    try {
      const never = new AbortController().signal
      const page = await running.tabs.current(never)
      const answering = page.evaluate("1").then(
        () => true,
        // Whatever else it says, it says something.
        () => true,
      )
      const answers = await within(answering, { ms: browserLimits.answerMs }).catch(() => false)
      if (answers) return ""
      await within(page.close(), { ms: browserLimits.closeMs })
      return " The page stopped answering, and its tab was closed."
    } catch {
      await stop()
      return " The browser stopped answering and was closed."
    }
  }

  return {
    use: (context, act) => {
      const signal = AbortSignal.any([context.signal, closed.signal])
      return locked(signal, async () => {
        const browser = await ready(signal)
        const visit = new Visit(browser, { signal, warn: (message) => context.warn(message) })
        try {
          return await act(visit)
        } catch (error) {
          const isRunning = () => browser.chromium.isRunning()
          const problem = browser.tabs.takeCrashReason() || browser.newMemoryProblem()
          const failure = browserFailure(error, { signal, isRunning: isRunning(), problem })
          if (failure.kind === "said") throw failure.error
          const consequence = await recover()
          throw failure.explain(isRunning() ? consequence : "")
        }
      })
    },
    end: (signal) => locked(signal, stop),
    async close() {
      closed.abort(new ToolFailure({ kind: "unavailable", message: "The session is closed." }))
      await locked(new AbortController().signal, stop)
    },
  }
}

/** Says once, as a sentence after a space, that something in the browser was ended for its memory. */
function memoryProblems({ memoryKills }: Chromium, memoryBytes: number): () => string {
  let seen = 0
  return () => {
    const kills = memoryKills()
    if (kills <= seen) return ""
    seen = kills
    return ` It took more memory than the browser may use (${memoryBytes / 2 ** 20} MiB).`
  }
}
