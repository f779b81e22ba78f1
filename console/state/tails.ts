import { batch, type ReadonlySignal, type Signal, signal } from "@preact/signals"

/** What is kept of the output of a running call. */
const tailCharacters = 20_000

export interface Tails {
  readonly of: (call: string) => ReadonlySignal<string>
  readonly add: (call: string, text: string) => void
  /** What was printed before; nothing where something has come already. */
  readonly begin: (call: string, text: string) => void
  readonly drop: (call: string) => void
  readonly close: () => void
}

/** The ends of what running calls print. However much that is, the page draws it once a frame. */
export function createTails(): Tails {
  const shown = new Map<string, Signal<string>>()
  const waiting = new Map<string, string>()
  let frame = 0
  const tailOf = (call: string) => {
    const tail = shown.get(call) ?? signal("")
    shown.set(call, tail)
    return tail
  }
  const draw = () => {
    frame = 0
    batch(() => {
      for (const [call, text] of waiting) {
        const tail = tailOf(call)
        tail.value = (tail.peek() + text).slice(-tailCharacters)
      }
    })
    waiting.clear()
  }
  return {
    of: tailOf,
    add(call, text) {
      waiting.set(call, ((waiting.get(call) ?? "") + text).slice(-tailCharacters))
      frame ||= requestAnimationFrame(draw)
    },
    begin(call, text) {
      const tail = tailOf(call)
      if (tail.peek() === "") tail.value = text.slice(-tailCharacters)
    },
    drop(call) {
      shown.delete(call)
      waiting.delete(call)
    },
    close: () => cancelAnimationFrame(frame),
  }
}
