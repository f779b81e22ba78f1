import { effect } from "@preact/signals-core"
import { canonicalJson, publish } from "../../kit/index.ts"
import type { HandlerNode } from "../graph/handler.ts"
import { computedRef, evaluatePart, type RefNode } from "../graph/ref.ts"
import { holdsRefs, isPlainObject, resolve } from "../graph/resolve.ts"
import { type Scope, withScope } from "../graph/scope.ts"
import { Budget } from "./budget.ts"
import { eventOf } from "./page-event.ts"
import { numberHandlers, plainProp, renderChildren, renderHole, type ViewNode } from "./render.ts"

type AnyHandler = HandlerNode<unknown, unknown>

/** The content of a hole: nodes, or the value of a property; null where it has none. */
export type HoleValue = readonly ViewNode[] | string | number | boolean | null

export type Holes = Readonly<Record<number, HoleValue>>

/** A page as data: the tree stays, and the holes in it are filled in. */
export interface ViewSnapshot {
  readonly name: string
  readonly tree: readonly ViewNode[]
  readonly holes: Holes
}

/** What changed together. */
export interface ViewChange {
  readonly name?: string
  readonly holes: Holes
}

export interface View {
  /** The whole page as it is now. */
  snapshot(): ViewSnapshot
  /** Hears of each change after the last snapshot; the returned function stops that. */
  watch(listener: (change: ViewChange) => void): () => void
  /** Sends an event to a handler of the page by its number; rejects where the page has it no longer. */
  send(handler: string, event: unknown): Promise<void>
}

/** A hole as it is evaluated. */
type LiveHole = ReturnType<typeof renderHole> | { readonly prop: string | number | boolean | null }

interface HoleState {
  readonly value: RefNode
  /** Those that its content has now. */
  handlers: Map<string, AnyHandler>
  shown: HoleValue
  json: string
}

export interface ViewOptions {
  readonly name: unknown
  readonly ui: unknown
  readonly scope: Scope
}

export function createView({ name, ui, scope }: ViewOptions): View {
  const fixed = new Map<string, AnyHandler>()
  const holes: HoleState[] = []
  const listeners = new Set<(change: ViewChange) => void>()
  let made = 0
  const newId = () => {
    made += 1
    return `h${made}`
  }
  /** Handlers that are bound in it belong to this pattern. */
  const addHole = (render: () => LiveHole) => {
    const value = computedRef(() => withScope(scope, () => evaluatePart(render)))
    holes.push({ value, handlers: new Map(), shown: null, json: "" })
    return { hole: holes.length - 1 }
  }
  const tree = renderChildren(ui, {
    ...{ isHole: false, budget: new Budget() },
    children: (read) => [addHole(() => renderHole(read()))],
    prop: (read) => addHole(() => ({ prop: plainProp(read(), new Budget()) ?? null })),
    handler(handler) {
      const id = newId()
      fixed.set(id, handler)
      return id
    },
  })
  const title = computedRef(() => {
    const value = resolve(name)
    return value === undefined ? "" : String(value)
  })
  let shownName = ""

  /** Brings what is shown up to date; true where it changed. */
  const refresh = (state: HoleState): boolean => {
    const { threw, mark, ...outcome } = state.value.outcome()
    const handlers = new Map<string, AnyHandler>()
    const show = (live: LiveHole | undefined): HoleValue => {
      if (mark !== null && mark !== "waiting" && (threw || mark.step === undefined)) {
        // A failure of a step is shown where the pattern says so.
        return [{ error: mark }]
      }
      if (live === undefined) return null
      if ("prop" in live) return live.prop
      const known = [...state.handlers]
      const numbers = live.handlers.map((handler) => {
        const [id] = known.find(([, one]) => isSameHandler(one, handler)) ?? [newId()]
        handlers.set(id, handler)
        return id
      })
      return numberHandlers(live.nodes, numbers)
    }
    const next = show(outcome.value as LiveHole | undefined)
    const json = JSON.stringify(next)
    if (json === state.json) return false
    Object.assign(state, { shown: next, json, handlers })
    return true
  }
  const update = (): ViewChange | null => {
    const changed: Record<number, HoleValue> = {}
    for (const [index, state] of holes.entries()) {
      if (refresh(state)) changed[index] = state.shown
    }
    const nextName = String(title.outcome().value ?? "")
    const isRenamed = nextName !== shownName
    shownName = nextName
    if (!isRenamed && Object.keys(changed).length === 0) return null
    return { ...(isRenamed && { name: nextName }), holes: changed }
  }
  let stop: (() => void) | null = null
  let isScheduled = false
  const showNow = () => {
    const change = update()
    if (change) publish([...listeners], change)
  }
  const showChanges = () => {
    isScheduled = false
    if (stop !== null) showNow()
  }
  /** What changes in the same moment is one message. */
  const follow = () =>
    effect(() => {
      void title.outcome()
      for (const { value } of holes) void value.outcome()
      if (isScheduled) return
      isScheduled = true
      queueMicrotask(showChanges)
    })

  return {
    snapshot() {
      showNow()
      const shown = holes.map(({ shown }, index) => [index, shown] as const)
      return { name: shownName, tree, holes: Object.fromEntries(shown) }
    },
    watch(listener) {
      showNow()
      listeners.add(listener)
      stop ??= follow()
      return () => {
        listeners.delete(listener)
        if (listeners.size > 0) return
        stop?.()
        stop = null
      }
    },
    async send(id, event) {
      const handler = fixed.get(id) ?? holes.find((hole) => hole.handlers.has(id))?.handlers.get(id)
      if (!handler) throw new Error("What this event was for is no longer on the page.")
      await handler.send(eventOf(event), scope)
    },
  }
}

function isSameHandler(one: AnyHandler, other: AnyHandler): boolean {
  if (one.fn !== other.fn) return false
  if (one.bound === other.bound) return true
  if (holdsRefs(one.bound) || holdsRefs(other.bound)) return isShallowSame(one.bound, other.bound)
  try {
    return canonicalJson(one.bound) === canonicalJson(other.bound)
  } catch {
    return false
  }
}

function isShallowSame(one: unknown, other: unknown): boolean {
  if (!isPlainObject(one) || !isPlainObject(other)) return false
  const keys = Object.keys(one)
  return keys.length === Object.keys(other).length && keys.every((key) => one[key] === other[key])
}
