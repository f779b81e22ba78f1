import { publish } from "../../kit/index.ts"
import type { SourceProblem, View } from "../../reactive/index.ts"
import { onChange } from "../events/on-change.ts"
import { encodeEvents, type Sent } from "../events/server-event.ts"
import { httpLimits } from "../limits.ts"
import { createDescribe, cutProblem, type DescribeError, type PageData } from "./describe-page.ts"

export interface PatternPageOptions {
  /** Its name in addresses. */
  readonly address: string
  readonly file: string
  /** The session that its steps are calls of. */
  readonly session: string
  /** An error with its place in the pattern's files. */
  readonly problemOf: DescribeError
  /** Hears of what handlers and parts of the page threw. */
  readonly onProblem: (problem: SourceProblem) => void
}

interface Message {
  readonly id: number
  readonly bytes: Uint8Array
}

/**
 * The page of a pattern, for any number of browsers. Each message is what changed together; one that comes back gets
 * those that it has missed, or the whole page where they are too many.
 */
export class PatternPage {
  readonly address: string
  readonly file: string
  readonly session: string
  readonly #options: PatternPageOptions
  readonly #describe: (data: PageData) => unknown
  readonly #listeners = new Set<() => void>()
  readonly #messages: Message[] = []
  #bytes = 0
  /** Those of another process with the same address are all smaller. */
  #last = Date.now() * 1000
  #view: View | null = null
  #stopWatching = () => {}
  #problem: SourceProblem | null = null

  constructor(options: PatternPageOptions) {
    this.#options = options
    this.address = options.address
    this.file = options.file
    this.session = options.session
    this.#describe = createDescribe(options.problemOf, options.onProblem)
  }

  get name(): string {
    return this.#view?.snapshot().name || this.address
  }

  get problem(): SourceProblem | null {
    return this.#problem
  }

  /** Shows a pattern that runs, instead of the one before. */
  show(view: View): void {
    this.#stopWatching()
    this.#view = view
    this.#problem = null
    this.#stopWatching = view.watch((change) => this.#add("change", change))
    this.#add("page", this.#whole())
  }

  /** Shows why the file as it is now can't be run. What runs goes on. */
  fail(problem: SourceProblem): void {
    this.#problem = problem
    this.#add("change", { holes: {}, problem })
  }

  async *watch(after: number | null, signal: AbortSignal): AsyncIterable<Sent> {
    let at = after
    const listen = (changed: () => void) => {
      this.#listeners.add(changed)
      return () => this.#listeners.delete(changed)
    }
    for await (const _ of onChange(listen, signal)) {
      const missed = at === null ? null : this.#after(at)
      if (missed) for (const { bytes } of missed) yield bytes
      // The messages of the changes that it brings up have their numbers before it has its own.
      const data = missed ? null : this.#describe(this.#whole())
      at = missed ? (missed.at(-1)?.id ?? at) : this.#last
      if (data && at !== null) yield { event: "page", id: at, data }
    }
  }

  /** What went wrong with an event, and the message after which the page shows what it did. */
  async send(
    handler: string,
    event: unknown,
  ): Promise<{ readonly problem: SourceProblem | null; readonly last: number }> {
    return { problem: await this.#handle(handler, event), last: this.#last }
  }

  async #handle(handler: string, event: unknown): Promise<SourceProblem | null> {
    try {
      if (!this.#view) throw new Error("What this event was for is no longer on the page.")
      await this.#view.send(handler, event)
      return null
    } catch (error) {
      const problem = cutProblem(this.#options.problemOf(error))
      this.#options.onProblem(problem)
      return problem
    }
  }

  #whole() {
    const { name, tree, holes } = this.#view?.snapshot() ?? { name: "", tree: [], holes: {} }
    return { name, tree, holes, problem: this.#problem }
  }

  #add(event: "page" | "change", data: PageData) {
    this.#last += 1
    const bytes = encodeEvents([{ event, id: this.#last, data: this.#describe(data) }])
    this.#messages.push({ id: this.#last, bytes })
    this.#bytes += bytes.length
    const { patternMessages, patternMessageBytes } = httpLimits
    while (this.#messages.length > patternMessages || this.#bytes > patternMessageBytes) {
      this.#bytes -= this.#messages.shift()?.bytes.length ?? 0
    }
    publish([...this.#listeners], undefined)
  }

  /** The messages after one; null where they are not all there. */
  #after(id: number): readonly Message[] | null {
    const first = this.#messages[0]?.id ?? this.#last + 1
    if (id < first - 1 || id > this.#last) return null
    return this.#messages.slice(id - first + 1)
  }
}
