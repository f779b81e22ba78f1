import type { Pattern } from "../pattern/pattern.ts"
import type { Running, RunOptions } from "../pattern/run.ts"
import { type Mounted, MountedPattern } from "./mounted-pattern.ts"

/**
 * Runs a pattern while a component is mounted, and draws the component again when something of it changes: an input, an output, or
 * a step of it. Undefined until the component is mounted. What the body throws is thrown to the error boundary. Other inputs are
 * written; another pattern, session or store ends the run and starts one.
 */
type UsePattern = <In extends object, Out extends object>(
  pattern: Pattern<In, Out>,
  inputs: NoInfer<In>,
  options: RunOptions,
) => Running<In, Out> | undefined

/** What it needs of Preact or React. */
interface Hooks {
  useEffect(effect: () => undefined | (() => void), dependencies?: readonly unknown[]): void
  useRef<T>(initial: T): { current: T }
  useState<T>(initial: T): [T, (next: T) => void]
}

/** `usePattern` for components of Preact or React: `createUsePattern(hooks)` with the module that has their hooks. */
export function createUsePattern({ useEffect, useRef, useState }: Hooks): UsePattern {
  return function usePattern<In extends object, Out extends object>(
    pattern: Pattern<In, Out>,
    inputs: In,
    options: RunOptions,
  ) {
    const [shown, show] = useState<Mounted<In, Out> | undefined>(undefined)
    // A component may be drawn and never mounted: nothing runs before its effects do.
    const ref = useRef<MountedPattern<In, Out> | null>(null)
    ref.current ??= new MountedPattern()
    const mounted = ref.current
    const { session, store, model, image, atOnce } = options
    useEffect(() => {
      mounted.enter({ pattern, inputs, options }, show)
      return () => mounted.leave()
    }, [pattern, session, store, model, image, atOnce])
    useEffect(() => {
      mounted.give(inputs)
      return undefined
    })
    if (shown?.kind === "failed") throw shown.error
    return shown?.running
  }
}
