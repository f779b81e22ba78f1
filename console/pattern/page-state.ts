import { batch, type Signal, signal } from "@preact/signals"
import { options } from "preact"
import { keepSelection } from "./keep-selection.ts"
import type { HoleValue, PageMessage, PageNode, Problem } from "./page-data.ts"

/** The tree, and the holes in it, each of which is drawn again when it alone changes. */
interface Tree {
  readonly nodes: readonly PageNode[]
  readonly holes: ReadonlyMap<number, Signal<HoleValue>>
}

export const tree = signal<Tree>({ nodes: [], holes: new Map() })

export const patternName = signal("")

/** Why the pattern can't be loaded as it is written now; what was there goes on. */
export const loadProblem = signal<Problem | null>(null)

/** What a handler threw, until a person has seen it or the next event went well. */
export const eventProblem = signal<Problem | null>(null)

/** Whether anything has come yet. */
export const hasPage = signal(false)

export function holeValue(index: number): HoleValue {
  return tree.value.holes.get(index)?.value ?? null
}

let isApplying = false
let draw = () => {}

// What changed together is drawn together, at once, so that the selection can be put back.
options.debounceRendering = (work) => {
  if (isApplying) draw = work
  else queueMicrotask(work)
}

export function applyMessage({ name, tree: nodes, holes, problem }: PageMessage): void {
  keepSelection(() => {
    isApplying = true
    batch(() => {
      if (nodes) tree.value = { nodes, holes: signalsOf(holes) }
      else for (const [index, value] of Object.entries(holes)) setHole(Number(index), value)
      if (name !== undefined) patternName.value = name
      if (problem !== undefined) loadProblem.value = problem
      hasPage.value = true
    })
    isApplying = false
    const work = draw
    draw = () => {}
    work()
  })
}

function signalsOf(holes: Readonly<Record<number, HoleValue>>): Map<number, Signal<HoleValue>> {
  return new Map(Object.entries(holes).map(([index, value]) => [Number(index), signal(value)]))
}

function setHole(index: number, value: HoleValue): void {
  const hole = tree.peek().holes.get(index)
  if (hole) hole.value = value
}
