import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import type { Entry } from "../../model/card.ts"
import { type KeyBinding, useKeys } from "../../state/keys.ts"
import { cardKeys } from "../session-keys.ts"

interface ReplayControlsProps {
  /** The number of the entry that is wanted, and of the last one. */
  readonly at: number
  readonly head: number
  readonly shown: Entry
  readonly onGo: (sequence: number) => void
  readonly onLive: () => void
}

/** How long each entry is shown while it plays. */
const speeds = [
  { name: "1×", ms: 600 },
  { name: "4×", ms: 150 },
  { name: "16×", ms: 40 },
] as const

/** A slider over all entries, with steps and a player. */
export function ReplayControls({ at, head, shown, onGo, onLive }: ReplayControlsProps) {
  const isPlaying = useSignal(false)
  const speed = useSignal(0)
  const isAtEnd = at >= head
  const go = (sequence: number) => {
    isPlaying.value = false
    onGo(sequence)
  }
  const play = () => {
    if (!isPlaying.value && isAtEnd) onGo(1)
    isPlaying.value = !isPlaying.value
  }
  // The next one only when this one is on the screen, however long it takes to read.
  useEffect(() => {
    if (!isPlaying.value || shown.sequence !== at) return
    if (isAtEnd) {
      isPlaying.value = false
      return
    }
    const timer = setTimeout(() => onGo(at + 1), speeds[speed.value]?.ms)
    return () => clearTimeout(timer)
  }, [isPlaying.value, speed.value, shown.sequence, at, isAtEnd])
  useKeys([...cardKeys(onLive), ...replayKeys({ at, head, go, play })], [at, head])
  const time = new Date(shown.at_ms)
  return (
    <section class="replay-controls" aria-label="Replay">
      <input
        type="range"
        aria-label="Entry"
        aria-valuetext={`Entry ${at} of ${head}`}
        min={1}
        max={head}
        value={at}
        onInput={({ currentTarget }) => go(Number(currentTarget.value))}
      />
      <div class="row">
        <button type="button" disabled={at <= 1} onClick={() => go(at - 1)}>
          Back
        </button>
        <button type="button" class="main" onClick={play}>
          {isPlaying.value ? "Pause" : "Play"}
        </button>
        <button type="button" disabled={isAtEnd} onClick={() => go(at + 1)}>
          Step
        </button>
        <select
          aria-label="Speed"
          value={speed.value}
          onChange={({ currentTarget }) => {
            speed.value = Number(currentTarget.value)
          }}
        >
          {speeds.map(({ name }, index) => (
            <option key={name} value={index}>
              {name}
            </option>
          ))}
        </select>
        <span class="quiet replay-place">
          Entry {shown.sequence} of {head}, {shown.kind},{" "}
          <time dateTime={time.toISOString()}>{time.toLocaleString()}</time>
        </span>
        <button type="button" class="replay-live" onClick={onLive}>
          Back to live
        </button>
      </div>
    </section>
  )
}

interface ReplayActions {
  readonly at: number
  readonly head: number
  readonly go: (sequence: number) => void
  readonly play: () => void
}

function replayKeys({ at, head, go, play }: ReplayActions): readonly KeyBinding[] {
  const one = (keys: string, does: string, act: () => void): KeyBinding => {
    return { keys, does, group: "Replay", act }
  }
  return [
    { ...one("ArrowLeft", "An entry back", () => go(at - 1)), repeats: true },
    { ...one("ArrowRight", "An entry on", () => go(at + 1)), repeats: true },
    one("p", "Play or pause", play),
    one("Home", "The first entry", () => go(1)),
    one("End", "The last entry", () => go(head)),
  ]
}
