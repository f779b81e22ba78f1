import type { Capabilities } from "../../contract/index.ts"
import type { ConformanceCheck, Subject } from "./conformance-check.ts"

/** Resolves with how the promise was measured; throws a ConformanceFailure when it is broken. */
export type Measure = (subject: Subject) => Promise<string>

/** A capability that has to be declared, or a condition on all of them. */
type Needs =
  | "argumentLists"
  | "background"
  | "fileModes"
  | "liveOutput"
  | "ports"
  | "sleep"
  | "snapshots"
  | ((can: Capabilities) => boolean)

interface ConditionalMeasure {
  readonly needs: Needs
  readonly measure: Measure
}

export type Measurement = Measure | ConditionalMeasure

/** A measurement for those hosts only that make the promise. */
export function when(needs: Needs, measure: Measure): Measurement {
  return { needs, measure }
}

/** The checks of one topic: its promises, and how each of them is measured. */
export function defineChecks<Name extends string>(
  topic: string | { readonly topic: string; readonly needs: Needs },
  promises: Readonly<Record<Name, string>>,
  measurements: Readonly<Record<NoInfer<Name>, Measurement>>,
): ConformanceCheck[] {
  const shared = typeof topic === "string" ? { topic, needs: undefined } : topic
  return Object.entries<string>(promises).map(([name, promise]) => {
    const measurement = measurements[name as Name]
    const { needs = shared.needs, measure } =
      typeof measurement === "function" ? { measure: measurement } : measurement
    const id = `${shared.topic}.${name}`
    if (needs === undefined) return { id, promise, run: measure }
    const isMet = typeof needs === "function" ? needs : (can: Capabilities) => can[needs]
    return { id, promise, needs: isMet, run: measure }
  })
}
