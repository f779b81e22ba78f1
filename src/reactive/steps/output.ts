import { type ReadonlySignal, type Signal, signal } from "@preact/signals-core"
import { type OutputChunk, replaceOmissions } from "../../contract/index.ts"
import { BoundedBytes, systemClock } from "../../kit/index.ts"
import { decodeStream } from "../../sandbox/index.ts"
import { reactiveLimits } from "../limits.ts"

const { outputBytes, outputCharacters, outputMs } = reactiveLimits

/** What a run has printed so far: of much the end. Readers are informed at most once in a moment, however fast it prints. */
export class LiveOutput {
  readonly #shown: Signal<string>
  #decoders = newDecoders()
  #text = ""
  /** How many characters were left out at the start. */
  #left = 0
  #cancelShow: (() => void) | null = null

  constructor(text = "") {
    this.#shown = signal(text)
  }

  get text(): ReadonlySignal<string> {
    return this.#shown
  }

  add({ stream, bytes }: OutputChunk): void {
    this.#text += this.#decoders[stream].decode(bytes, { stream: true })
    // Twice the limit, so that the end is copied only once in as many characters.
    if (this.#text.length > 2 * outputCharacters) this.#cut()
    this.#cancelShow ??= systemClock.after(outputMs, () => this.show())
  }

  /** Shows what waits. */
  show(): void {
    if (this.#cancelShow === null) return
    this.stop()
    this.#cut()
    const note = this.#left > 0 ? `[... ${this.#left} characters left out ...]\n` : ""
    this.#shown.value = `${note}${this.#text}`
  }

  /** Nothing is shown any more of what waits. */
  stop(): void {
    this.#cancelShow?.()
    this.#cancelShow = null
  }

  /** For a run that begins again. */
  clear(): void {
    this.stop()
    this.#decoders = newDecoders()
    this.#text = ""
    this.#left = 0
    this.#shown.value = ""
  }

  #cut(): void {
    const left = this.#text.length - outputCharacters
    if (left <= 0) return
    this.#text = this.#text.slice(left)
    this.#left += left
  }
}

/** One for each stream: a chunk may end within a character. */
function newDecoders() {
  return { stdout: new TextDecoder(), stderr: new TextDecoder() }
}

type Streams<T> = Readonly<Record<OutputChunk["stream"], T>>

/** What the commands of a step have printed: whole, where the answer of a call, which is for models, has its ends only. */
export class Printed {
  readonly #streams: Streams<BoundedBytes> = {
    stdout: new BoundedBytes(outputBytes),
    stderr: new BoundedBytes(outputBytes),
  }

  add({ stream, bytes }: OutputChunk): void {
    this.#streams[stream].push(bytes)
  }

  /** `told` is what the calls answered, for hosts that tell output only at the end. */
  result(told: Streams<string>): Streams<string> & { readonly truncated?: Streams<number> } {
    const stdout = textOf(this.#streams.stdout, told.stdout)
    const stderr = textOf(this.#streams.stderr, told.stderr)
    const isCut = stdout.omitted + stderr.omitted > 0
    return {
      ...{ stdout: stdout.text, stderr: stderr.text },
      ...(isCut && { truncated: { stdout: stdout.omitted, stderr: stderr.omitted } }),
    }
  }
}

function textOf(bytes: BoundedBytes, told: string): { text: string; omitted: number } {
  if (bytes.total === 0) return { text: told, omitted: omittedIn(told) }
  return decodeStream({ head: bytes.head(), tail: bytes.tail(), omitted: bytes.omitted })
}

/** What the notes in a cut answer say. */
function omittedIn(told: string): number {
  let omitted = 0
  replaceOmissions(told, (bytes) => {
    omitted += bytes
    return ""
  })
  return omitted
}
