import { batch, type ReadonlySignal, type Signal, signal } from "@preact/signals"
import { type PrintedPiece, Tail } from "../../model/tail.ts"

/** What is kept of the output of a running call. */
const tailCharacters = 20_000

export interface Tails {
  readonly of: (call: string) => ReadonlySignal<string>
  /** False where something was printed before that is not here. */
  readonly add: (call: string, piece: PrintedPiece) => boolean
  /** What was recorded before; false where something is missing between that and what has come. */
  readonly begin: (call: string, recorded: PrintedPiece) => boolean
  /** Whether so much was recorded that has not come live. */
  readonly isBehind: (call: string, bytes: number) => boolean
  /** What comes live begins again. */
  readonly restart: () => void
  readonly drop: (call: string) => void
  readonly close: () => void
}

/** The ends of what running calls print. However much that is, the page draws it once a frame. */
export function createTails(): Tails {
  const shown = new Map<string, Signal<string>>()
  const tails = new Map<string, Tail>()
  const changed = new Set<string>()
  let frame = 0
  const shownOf = (call: string) => {
    const known = shown.get(call) ?? signal("")
    shown.set(call, known)
    return known
  }
  const tailOf = (call: string) => {
    const known = tails.get(call) ?? new Tail(tailCharacters)
    tails.set(call, known)
    changed.add(call)
    frame ||= requestAnimationFrame(draw)
    return known
  }
  const draw = () => {
    frame = 0
    batch(() => {
      for (const call of changed) shownOf(call).value = tails.get(call)?.text ?? ""
    })
    changed.clear()
  }
  return {
    of: shownOf,
    add: (call, piece) => tailOf(call).add(piece),
    begin: (call, recorded) => tailOf(call).begin(recorded),
    isBehind: (call, bytes) => tailOf(call).isBehind(bytes),
    restart() {
      for (const tail of tails.values()) tail.restart()
    },
    drop(call) {
      shown.delete(call)
      tails.delete(call)
      changed.delete(call)
    },
    close: () => cancelAnimationFrame(frame),
  }
}
