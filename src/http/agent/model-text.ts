import { httpLimits } from "../limits.ts"

/** A piece of what a model writes, and the last entry of the session when it came. */
interface TextPiece {
  readonly after: number
  readonly text: string
}

/** What the model of one session writes, until it is recorded. It is live only, as the output of calls is. */
export interface ModelText {
  add(text: string, after: number): void
  /** What came lately, then what comes. `next` resolves when there is something to take. */
  read(): TextReader
  /** Keeps it while a run works; the returned function ends that. */
  hold(): () => void
}

export interface TextReader {
  next(): Promise<"text">
  take(): readonly TextEvent[]
  stop(): void
}

export interface TextEvent {
  readonly event: "model-text"
  /** `is_whole`: it takes the place of what came before. */
  readonly data: TextPiece & { readonly is_whole: boolean }
}

/** `onUnused`: nobody writes and nobody reads any more. */
export function createModelText(onUnused: () => void): ModelText {
  let pieces: readonly TextPiece[] = []
  let writers = 0
  const readers = new Set<(text: string, after: number) => void>()
  const leave = () => {
    if (writers === 0 && readers.size === 0) onUnused()
  }

  return {
    add(text, after) {
      pieces = lastOf(withPiece(pieces, { text, after }))
      for (const tell of readers) tell(text, after)
    },
    hold() {
      writers += 1
      return () => {
        writers -= 1
        if (writers === 0) pieces = []
        leave()
      }
    },
    read() {
      let waiting: readonly TextPiece[] = []
      // A reader that comes again has some of it already.
      let needsWhole = pieces.length > 0
      let wake = () => {}
      const tell = (text: string, after: number) => {
        waiting = withPiece(waiting, { text, after })
        if (charactersOf(waiting) > httpLimits.modelTextCharacters) {
          waiting = []
          needsWhole = true
        }
        wake()
      }
      readers.add(tell)
      return {
        next: () =>
          new Promise((resolve) => {
            wake = () => resolve("text")
            if (waiting.length > 0 || needsWhole) wake()
          }),
        take() {
          const taken = needsWhole ? pieces : waiting
          const isWhole = needsWhole
          waiting = []
          needsWhole = false
          return taken.map((piece, index) => ({
            event: "model-text",
            data: { ...piece, is_whole: isWhole && index === 0 },
          }))
        },
        stop() {
          readers.delete(tell)
          leave()
        },
      }
    },
  }
}

/** Pieces of the same answer become one. */
function withPiece(pieces: readonly TextPiece[], piece: TextPiece): readonly TextPiece[] {
  const last = pieces.at(-1)
  if (last?.after !== piece.after) return [...pieces, piece]
  return [...pieces.slice(0, -1), { ...last, text: last.text + piece.text }]
}

function charactersOf(pieces: readonly TextPiece[]): number {
  return pieces.reduce((sum, { text }) => sum + text.length, 0)
}

/** The oldest have long been recorded. */
function lastOf(pieces: readonly TextPiece[]): readonly TextPiece[] {
  let left = pieces
  while (left.length > 1 && charactersOf(left) > httpLimits.modelTextCharacters) {
    left = left.slice(1)
  }
  const [only] = left
  if (left.length !== 1 || !only) return left
  return [{ ...only, text: only.text.slice(-httpLimits.modelTextCharacters) }]
}

/** A stream with what a model writes between its events. */
export async function* withModelText<Event>(
  events: AsyncIterable<Event>,
  text: ModelText,
): AsyncIterable<Event | TextEvent> {
  const reader = text.read()
  const iterator = events[Symbol.asyncIterator]()
  try {
    let event = iterator.next()
    for (;;) {
      const first = await Promise.race([event, reader.next()])
      // What was written before an entry is sent before it.
      yield* reader.take()
      if (first === "text") continue
      if (first.done) return
      yield first.value
      event = iterator.next()
    }
  } finally {
    reader.stop()
    await iterator.return?.()
  }
}
