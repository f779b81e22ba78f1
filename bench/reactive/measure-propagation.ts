import { parentPort } from "node:worker_threads"
import { computed as bareComputed, effect, type ReadonlySignal, signal } from "@preact/signals-core"
import { computed, type Ref, Writable } from "../../src/reactive/index.ts"
import { measureTimeRatio } from "../harness/measure.ts"

const nodes = 10_000

/** A change of the source, after which the last value is known. */
type Change = () => void

/** The same graph twice: one node after the other, or all of them from one source. */
function bareGraph(shape: "deep" | "wide"): Change {
  const source = signal(0)
  const all: ReadonlySignal<number>[] = []
  for (let index = 0; index < nodes; index += 1) {
    const from = (shape === "deep" && all.at(-1)) || source
    all.push(bareComputed(() => from.value + 1))
  }
  const last = all.at(-1) ?? source
  const end =
    shape === "deep" ? last : bareComputed(() => all.reduce((sum, { value }) => sum + value, 0))
  let seen = 0
  effect(() => {
    seen = end.value
  })
  return () => {
    const before = seen
    source.value += 1
    if (seen === before) throw new Error("The change did not arrive.")
  }
}

function patternGraph(shape: "deep" | "wide"): Change {
  const source = Writable.of(0)
  const all: Ref<number>[] = []
  for (let index = 0; index < nodes; index += 1) {
    const from = (shape === "deep" && all.at(-1)) || source
    all.push(computed(() => from.get() + 1))
  }
  const last = all.at(-1) ?? source
  const end = shape === "deep" ? last : computed(() => all.reduce((sum, one) => sum + one.get(), 0))
  const shown = computed(() => end.get())
  let seen = 0
  effect(() => {
    seen = shown.get()
  })
  let next = 0
  return () => {
    const before = seen
    next += 1
    source.set(next)
    if (seen === before) throw new Error("The change did not arrive.")
  }
}

/** Many short rounds: a change takes a millisecond, and what else the machine does falls into few of them. */
const measure = (shape: "deep" | "wide") =>
  measureTimeRatio(patternGraph(shape), bareGraph(shape), { rounds: 201, roundMs: 4 })

parentPort?.postMessage({ deep: await measure("deep"), wide: await measure("wide") })
