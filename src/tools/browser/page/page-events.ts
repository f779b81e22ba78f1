import type { ConsoleMessage, Dialog, Page } from "playwright-core"
import { browserLimits } from "../../limits.ts"
import { quoted } from "./page-result.ts"

/** A place that the browser could not get to. */
export interface Refusal {
  readonly kind: "refused" | "failed"
  /** "example.com:443" */
  readonly place: string
  readonly reason: string
}

/**
 * What happened in the browser that nobody asked for, since it was last told. Pages make as much of it
 * as they like, so that only the first of each sort is kept in words, and the rest counted.
 */
export class PageEvents {
  consoleErrors = 0
  readonly #sorts = new Map<string, { readonly sentences: string[]; more: number }>()
  readonly #refusals = new Map<string, Refusal>()
  readonly #asked = new Set<string>()

  /** One sentence of a sort such as "dialog". */
  add(sort: string, sentence: string): void {
    const heard = this.#sorts.get(sort) ?? { sentences: [], more: 0 }
    this.#sorts.set(sort, heard)
    if (heard.sentences.includes(sentence)) return
    if (heard.sentences.length < browserLimits.told) heard.sentences.push(sentence)
    else heard.more += 1
  }

  watch(page: Page): void {
    page.on("request", (request) => this.#ask(request.url()))
    page.on("websocket", (socket) => this.#ask(socket.url()))
    page.on("dialog", (dialog) => {
      this.add("dialog", dialogSentence(dialog))
      // A page that is gone takes its dialogs along.
      dialog.dismiss().catch(() => {})
    })
    page.on("console", (message: ConsoleMessage) => {
      // An icon that nobody linked to is Chromium's own idea.
      const isIcon = message.location().url.endsWith("/favicon.ico")
      if (message.type() === "error" && !isIcon) this.consoleErrors += 1
    })
    page.on("pageerror", () => {
      this.consoleErrors += 1
    })
  }

  refused(refusal: Refusal): void {
    if (this.#refusals.size < browserLimits.refusals) this.#refusals.set(refusal.place, refusal)
  }

  /** Why a page's address could not be reached, when it was the browser's network that said so. */
  refusalOf(url: string): Refusal | null {
    const place = placeOf(url)
    return place === null ? null : (this.#refusals.get(place) ?? null)
  }

  /** The refusal becomes a call's failure, so it is not a warning any more. */
  forget({ place }: Refusal): void {
    this.#refusals.delete(place)
    this.#asked.delete(place)
  }

  /** Everything as sentences; after it, nothing has happened. */
  take(): { readonly sentences: readonly string[]; readonly consoleErrors: number } {
    for (const { kind, place, reason } of this.#refusals.values()) {
      // What Chromium asks by itself is none of the page's doing.
      if (!this.#asked.has(place)) continue
      const verb = kind === "refused" ? "The network policy refused" : "The browser did not reach"
      this.add("network", `${verb} ${place}: ${reason}.`)
    }
    const sentences = [...this.#sorts].flatMap(([sort, { sentences, more }]) =>
      more === 0 ? sentences : [...sentences, `${more} more of this sort: ${sort}.`],
    )
    const { consoleErrors } = this
    this.#sorts.clear()
    this.#refusals.clear()
    this.#asked.clear()
    this.consoleErrors = 0
    return { sentences, consoleErrors }
  }

  #ask(url: string): void {
    const place = placeOf(url)
    if (place !== null && this.#asked.size < browserLimits.refusals) this.#asked.add(place)
  }
}

function dialogSentence(dialog: Dialog): string {
  const message = quoted(dialog.message())
  return `The page showed a dialog (${dialog.type()}), which was dismissed: ${message}.`
}

function placeOf(url: string): string | null {
  const { protocol, hostname, port } = URL.parse(url) ?? {}
  if (!hostname) return null
  const host = hostname.replace(/^\[(.*)\]$/, "$1").replace(/\.$/, "")
  return `${host}:${port || (protocol === "https:" || protocol === "wss:" ? 443 : 80)}`
}
