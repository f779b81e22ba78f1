import { batch, effect } from "@preact/signals-core"
import type { AgentOptions } from "../../agent/index.ts"
import { canonicalJson, createId, publish } from "../../kit/index.ts"
import type { Session } from "../../session/index.ts"
import { inspect, isRef } from "../graph/ref.ts"
import { isPlainObject } from "../graph/resolve.ts"
import { createScope } from "../graph/scope.ts"
import type { WritableNode } from "../graph/writable.ts"
import { reactiveLimits } from "../limits.ts"
import type { Instance, PatternScope, SandboxPlace } from "../steps/instance.ts"
import { Places } from "../steps/places.ts"
import { Runs } from "../steps/runs.ts"
import { StepNode } from "../steps/step.ts"
import { NAME, UI } from "../view/names.ts"
import { createView, type View } from "../view/view.ts"
import { callWithin } from "./call-within.ts"
import { createInputs, type Inputs, type Outputs, type Pattern, wire } from "./pattern.ts"
import { type PatternShape, Store, type StoredState } from "./store.ts"

export interface RunOptions {
  /** Where each step is a call: with its policy, limits, network and record. */
  readonly session: Session
  /** A file. The next run with it finds inputs, writables and results, and runs only what changed. */
  readonly store?: string | undefined
  /** For `generateText`, as `createAgent` takes it. */
  readonly model?: AgentOptions["model"] | undefined
  /** The image of steps that name none; when absent, "node:22" if the host has it, else the host's default. */
  readonly image?: string | undefined
  /** How many steps work at the same time; 8 when absent. */
  readonly atOnce?: number | undefined
}

/** A pattern that runs. */
export interface Running<In, Out> extends AsyncDisposable {
  /** What the body returned: references are read with `get()`, handlers with `send()`. */
  readonly out: Outputs<Out>
  readonly inputs: Inputs<In>
  readonly name: string
  /** Its page, as data. */
  readonly ui: View
  /** Calls a function now, and again whenever something that it read has changed. */
  watch(read: () => unknown): () => void
  /** Resolves when no step is pending. */
  settled(): Promise<void>
  /** Ends steps, processes and sandboxes; with a store, what was there is in it. */
  dispose(): Promise<void>
}

/** Starts a pattern: its body runs once, its steps as their inputs change. */
export function run<In extends object, Out extends object>(
  pattern: Pattern<In, Out>,
  given: NoInfer<In>,
  options: RunOptions,
): Running<In, Out> {
  return start(pattern, given, options, null)
}

/**
 * Goes on with another body: inputs, writables, sandboxes and results stay, and what runs and is wanted still runs. Where
 * the new body throws, the old one goes on.
 */
export function replaceBody<In extends object, Out extends object>(
  running: Running<In, Out>,
  pattern: Pattern<In, Out>,
): Running<In, Out> {
  const before = started.get(running)
  if (!before) throw new Error("This pattern was not started by run.")
  const next = start(pattern, before.given as In, before.options, before)
  before.leave()
  return next
}

/** What one body leaves to the next. */
interface Started {
  readonly given: object
  readonly options: RunOptions
  readonly runs: Runs
  readonly sandboxes: Map<string, SandboxPlace>
  readonly store: Store | null
  state(): StoredState
  /** Ends what the next body has not taken over. */
  leave(): void
}

const started = new WeakMap<object, Started>()

function start<In extends object, Out extends object>(
  { body }: Pattern<In, Out>,
  given: In,
  options: RunOptions,
  before: Started | null,
): Running<In, Out> {
  const { session, store: file, image, atOnce = reactiveLimits.places } = options
  // The next body of a run goes on with its store.
  const store = before ? before.store : file === undefined ? null : Store.open(file)
  const stored = before?.state() ?? store?.state ?? null
  const sandboxes = before?.sandboxes ?? new Map<string, SandboxPlace>()
  const id = stored?.id ?? createId("p").slice(2)
  const steps = new Set<StepNode>()
  const writables = new Map<string, WritableNode>()
  const ends: (() => Promise<unknown> | undefined)[] = []
  const watching = new Set<() => void>()
  let sandboxCount = 0
  let disposed: Promise<void> | null = null

  const instance: Instance = {
    ...{ session, image, model: options.model },
    runs: before?.runs ?? new Runs(new Places(atOnce)),
    kept: (place) => stored?.results[place],
    own: (step) => steps.add(step),
    release: (step) => steps.delete(step),
    sandboxName: () => `sandbox${sandboxCount++}-${id}`,
    sandboxPlace(name) {
      const known = sandboxes.get(name)
      const place = known ?? { image: null, before: Promise.resolve(), users: 0 }
      sandboxes.set(name, place)
      return place
    },
    onDispose: (end) => ends.push(end),
  }
  const scope: PatternScope = {
    ...createScope(""),
    instance,
    initial: (place, value) =>
      stored && Object.hasOwn(stored.writables, place) && isAlike(stored.writables[place], value)
        ? stored.writables[place]
        : value,
    made: (place, writable) => writables.set(place, writable),
    requireOpen() {
      if (disposed) throw new Error("This pattern has ended.")
    },
  }
  /** The program's own inputs count where they differ from what it gave before. */
  const { inputs, made } = createInputs<In>(given, (name, value) => {
    const isSame = stored !== null && jsonOf(stored.given[name]) === jsonOf(value)
    return isSame && Object.hasOwn(stored.inputs, name) ? stored.inputs[name] : value
  })

  const leave = () => {
    for (const stop of watching) stop()
    for (const step of steps) step.dispose()
    return Promise.all(ends.splice(0).map((one) => one()))
  }
  const end = async () => {
    for (const stop of watching) stop()
    for (const step of steps) step.dispose()
    await instance.runs.ended()
    await leave()
    await store?.close()
  }
  const shape = (name: unknown): PatternShape => ({
    name: typeof name === "string" ? name : null,
    inputs: [...made.keys()],
    parts: [...writables.keys(), ...[...steps].flatMap(({ place }) => place ?? [])],
  })
  const wired = () => {
    try {
      const returned = wire(
        (given) => callWithin(reactiveLimits.bodyMs, () => body(given)),
        scope,
        inputs,
      )
      const of = shape(returned[NAME])
      if (!before) store?.requireSamePattern(of)
      batch(() => {
        for (const step of steps) step.start()
      })
      return { returned, of, view: createView({ name: returned[NAME], ui: returned[UI], scope }) }
    } catch (error) {
      // Nothing of a body that threw goes on.
      disposed = before ? leave().then(() => {}) : end()
      throw error
    }
  }
  const { returned: out, of, view } = wired()

  const watch = (read: () => unknown): (() => void) => {
    const dispose = effect(() => {
      // What it throws does not reach the writer of the value that it read.
      publish([() => inspect(read)], undefined)
    })
    const stop = () => {
      watching.delete(stop)
      dispose()
    }
    watching.add(stop)
    return stop
  }
  const state = (): StoredState => ({
    ...{ id, of },
    given: { ...(given as Readonly<Record<string, unknown>>) },
    inputs: valuesOf(made),
    writables: valuesOf(writables),
    results: Object.fromEntries(
      [...steps].flatMap((step) => {
        const kept = step.place === null ? undefined : step.kept()
        return kept && step.place !== null ? [[step.place, kept] as const] : []
      }),
    ),
  })
  if (store) {
    watch(() => {
      const now = state()
      store.write(() => ({
        ...now,
        inputs: storable(now.inputs),
        writables: storable(now.writables),
      }))
    })
  }
  const dispose = () => {
    disposed ??= end()
    return disposed
  }
  const running: Running<In, Out> = {
    ...{ out, inputs, ui: view, watch },
    get name() {
      return view.snapshot().name
    },
    settled: () => untilSettled(steps, watch),
    dispose,
    [Symbol.asyncDispose]: dispose,
  }
  started.set(running, {
    ...{ given, options, runs: instance.runs, sandboxes, store, state },
    leave() {
      disposed ??= leave().then(() => {})
    },
  })
  observers.set(running, () => {
    for (const one of [...made.values(), ...Object.values(out), out[NAME]]) {
      if (one instanceof StepNode) one.observe()
      else if (isRef(one)) one.outcome()
    }
  })
  return running
}

const observers = new WeakMap<object, () => void>()

/** Reads everything that others see of a pattern, so that what reads it is informed of each change. */
export function observeAll(running: object): void {
  observers.get(running)?.()
}

/** With a step of the body that has ended, the next may begin in the same moment: only what stays counts. */
async function untilSettled(
  steps: ReadonlySet<StepNode>,
  watch: (read: () => unknown) => () => void,
): Promise<void> {
  const isPending = () => [...steps].filter((step) => step.isPending()).length > 0
  while (isPending()) {
    const settled = Promise.withResolvers<void>()
    const stop = watch(() => {
      if (!isPending()) settled.resolve()
    })
    await settled.promise
    stop()
  }
}

/** Whether a stored value can stand for the one that the body gives: it is not a list where that is a text. */
function isAlike(stored: unknown, given: unknown): boolean {
  if (given === undefined || given === null || isRef(given)) return true
  return typeof stored === typeof given && Array.isArray(stored) === Array.isArray(given)
}

/** What is still to come is left out. */
function valuesOf(nodes: ReadonlyMap<string, WritableNode>): Record<string, unknown> {
  return Object.fromEntries([...nodes].map(([name, node]) => [name, node.outcome().value]))
}

/** Without what is not JSON: that starts as the body says. */
function storable(values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => isJson(value)))
}

/** Whether it is read from JSON as it was: a Map, for example, would be an empty object. */
function isJson(value: unknown): boolean {
  if (jsonOf(value) === undefined) return false
  const isKept = (part: unknown): boolean => {
    if (Array.isArray(part)) return part.every(isKept)
    if (isPlainObject(part))
      return Object.values(part).every((one) => one === undefined || isKept(one))
    return part === null || (typeof part === "number" ? Number.isFinite(part) : isText(part))
  }
  return isKept(value)
}

const isText = (value: unknown) => typeof value === "string" || typeof value === "boolean"

function jsonOf(value: unknown): string | undefined {
  try {
    return canonicalJson(value)
  } catch {
    return undefined
  }
}
