import type { Locator, Page } from "playwright-core"
import { invalidArgument } from "../../arguments.ts"
import { artifactResult } from "../../artifact-result.ts"
import { browserLimits } from "../../limits.ts"
import type { Downloads } from "./downloads.ts"
import type { PageEvents } from "./page-events.ts"
import type { PageResult } from "./page-result.ts"
import { shownUrl, type Tabs, titleOf } from "./tabs.ts"
import { within } from "./within.ts"

export interface VisitDeps {
  readonly tabs: Tabs
  readonly events: PageEvents
  readonly downloads: Downloads
}

export interface VisitCall {
  readonly signal: AbortSignal
  readonly warn: (message: string) => void
}

/** One call's time with the browser. */
export class Visit {
  readonly tabs: Tabs
  readonly events: PageEvents
  readonly signal: AbortSignal
  /** Adds a note to the call's answer. */
  readonly warn: (message: string) => void
  readonly #downloads: Downloads

  constructor({ tabs, events, downloads }: VisitDeps, { signal, warn }: VisitCall) {
    this.tabs = tabs
    this.events = events
    this.signal = signal
    this.warn = warn
    this.#downloads = downloads
  }

  page(): Promise<Page> {
    return this.tabs.current(this.signal)
  }

  /** What Playwright's calls have in common. */
  get acting(): { readonly timeout: number; readonly signal: AbortSignal } {
    return { timeout: browserLimits.actionMs, signal: this.signal }
  }

  /** Waits no longer than that for what has no deadline of its own. */
  within<Value>(promise: Promise<Value>, ms: number = browserLimits.actionMs): Promise<Value> {
    return within(promise, { ms, signal: this.signal })
  }

  /** Runs a function, given as its text, in the page, or on one of its elements. */
  async run<Result>(
    script: string,
    argument: unknown,
    { on, ms = browserLimits.actionMs }: { readonly on?: Locator; readonly ms?: number } = {},
  ): Promise<Result> {
    const task = inPage<Result>(script)
    const running = on
      ? on.evaluate(task, argument, { timeout: ms, signal: this.signal })
      : (await this.page()).evaluate(task, argument)
    return this.within(running, ms)
  }

  async url(): Promise<string> {
    return shownUrl((await this.page()).url())
  }

  async element(ref: string): Promise<Locator> {
    const element = (await this.page()).getByRef(ref)
    const count = await this.within(element.count()).catch((error) => {
      // A frame that is gone: its refs name nothing.
      if (/frame/i.test(String(error))) return 0
      throw error
    })
    if (count === 1) return element
    throw invalidArgument(
      "ref",
      `${ref} is not an element of this page now: take a new snapshot with browser.snapshot.`,
      "a ref of the newest snapshot",
    )
  }

  /** Does something to the page, and waits for what it starts: a navigation or a download. */
  async act(action: (page: Page) => Promise<unknown>): Promise<PageResult> {
    const page = await this.page()
    const { promise: started, resolve } = Promise.withResolvers<void>()
    const hear = (request: { isNavigationRequest(): boolean }) => {
      if (request.isNavigationRequest()) resolve()
    }
    page.on("request", hear)
    try {
      await action(page)
      const navigates = await within(started, { ms: browserLimits.settleMs, signal: this.signal })
        .then(() => true)
        .catch(() => false)
      this.signal.throwIfAborted()
      if (navigates) await this.#loaded(page)
    } finally {
      page.off("request", hear)
    }
    return this.result()
  }

  /** What the page is now, and what happened meanwhile. */
  async result(): Promise<PageResult> {
    const downloads = await this.#downloads.take(this.signal)
    const page = await this.page()
    const title = await titleOf(page)
    if (title === null) this.warn("The page is busy and does not answer at the moment.")
    const consoleErrors = this.tell()
    return {
      kind: "page",
      url: shownUrl(page.url()),
      title: title ?? "",
      tab: this.tabs.indexOf(page),
      console_errors: consoleErrors,
      ...(downloads.length === 0 ? {} : { downloads: downloads.map(artifactResult) }),
    }
  }

  /** Puts what happened into the call's warnings. */
  tell(): number {
    const { sentences, consoleErrors } = this.events.take()
    for (const sentence of sentences) this.warn(sentence)
    return consoleErrors
  }

  async #loaded(page: Page): Promise<void> {
    const waiting = { timeout: browserLimits.loadMs, signal: this.signal }
    try {
      await page.waitForLoadState("load", waiting)
    } catch (error) {
      this.signal.throwIfAborted()
      if (!(error instanceof Error) || error.name !== "TimeoutError") throw error
      this.warn("The page has not finished loading.")
    }
  }
}

/**
 * A function for Playwright to run in a page. It is text, because no part of a page (no document, no window)
 * exists where this code is compiled, and text is what Playwright takes from a function anyway.
 */
function inPage<Result>(script: string): (...given: unknown[]) => Result {
  const run = (): Result => {
    throw new Error("This runs in a page only.")
  }
  run.toString = () => script
  return run
}
