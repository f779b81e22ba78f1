import type { BrowserContext, Page } from "playwright-core"
import { ToolFailure } from "../../../contract/index.ts"
import { invalidArgument } from "../../arguments.ts"
import { browserLimits } from "../../limits.ts"
import type { PageEvents } from "./page-events.ts"
import { within } from "./within.ts"

export interface TabFacts {
  readonly index: number
  readonly url: string
  readonly title: string
  readonly current: boolean
}

/** The pages of one browser, one of which calls go to. */
export class Tabs {
  readonly #context: BrowserContext
  readonly #events: PageEvents
  /** A sentence after a space, or nothing. */
  readonly #crashReason: () => string
  #untold = ""
  readonly #pages: Page[] = []
  #current: Page | null = null
  /** Pages that this class opens are no surprise. */
  #opening = 0

  constructor(context: BrowserContext, events: PageEvents, crashReason: () => string) {
    this.#crashReason = crashReason
    this.#context = context
    this.#events = events
    context.on("page", (page) => this.#take(page))
  }

  /** The page that calls go to; an empty one where all were closed. */
  async current(signal: AbortSignal): Promise<Page> {
    if (this.#current && !this.#current.isClosed()) return this.#current
    const last = this.#pages.at(-1)
    if (!last) return this.open(signal)
    this.#current = last
    return last
  }

  async open(signal: AbortSignal): Promise<Page> {
    if (this.#pages.length >= browserLimits.tabs) {
      throw new ToolFailure({
        kind: "rejected",
        message: `The limit of ${browserLimits.tabs} open tabs is reached. Close one first.`,
      })
    }
    this.#opening += 1
    try {
      const page = await within(this.#context.newPage(), { ms: browserLimits.startMs, signal })
      this.#current = page
      return page
    } finally {
      this.#opening -= 1
    }
  }

  /** Why the last page crashed, as far as is known and not told. */
  takeCrashReason(): string {
    const reason = this.#untold
    this.#untold = ""
    return reason
  }

  select(index: number): Page {
    const page = this.#pages[index]
    if (!page) throw noTab(index, this.#pages.length)
    this.#current = page
    return page
  }

  async close(index: number): Promise<void> {
    const page = this.#pages[index]
    if (!page) throw noTab(index, this.#pages.length)
    await within(page.close(), { ms: browserLimits.closeMs })
  }

  indexOf(page: Page): number {
    return this.#pages.indexOf(page)
  }

  list(): Promise<readonly TabFacts[]> {
    const { length } = this.#pages
    const current = this.#current && !this.#current.isClosed() ? this.#current : this.#pages.at(-1)
    return Promise.all(
      this.#pages.slice(0, length).map(async (page, index) => ({
        index,
        url: shownUrl(page.url()),
        title: (await titleOf(page)) ?? "",
        current: page === current,
      })),
    )
  }

  #take(page: Page): void {
    if (this.#opening === 0) {
      if (this.#pages.length >= browserLimits.tabs) {
        this.#events.add("popup", "The page opened more tabs than allowed; they were closed.")
        page.close().catch(() => {})
        return
      }
      const index = this.#pages.length
      this.#events.add("popup", `The page opened a new tab (index ${index}).`)
    }
    this.#pages.push(page)
    this.#events.watch(page)
    page.on("close", () => this.#drop(page))
    page.on("crash", () => {
      this.#untold = this.#crashReason()
      this.#events.add("crash", `A page crashed, and its tab was closed.${this.#untold}`)
      // Closing takes a moment, in which nothing may go to it.
      this.#drop(page)
      page.close().catch(() => {})
    })
  }

  #drop(page: Page): void {
    const index = this.#pages.indexOf(page)
    if (index >= 0) this.#pages.splice(index, 1)
    if (this.#current === page) this.#current = null
  }
}

/** Null for a page that is too busy to say. */
export async function titleOf(page: Page): Promise<string | null> {
  try {
    const title = await within(page.title(), { ms: browserLimits.answerMs })
    return title.slice(0, browserLimits.shownCharacters)
  } catch {
    return null
  }
}

/** A page can give itself an address of megabytes. */
export function shownUrl(url: string): string {
  return url.length > browserLimits.urlCharacters
    ? `${url.slice(0, browserLimits.urlCharacters)}…`
    : url
}

function noTab(index: number, count: number): ToolFailure {
  return invalidArgument(
    "index",
    `There is no tab ${index}: ${count} are open.`,
    count === 0 ? "a tab that was opened" : `0 to ${count - 1}`,
  )
}
