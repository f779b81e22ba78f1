import type { Capabilities, Workspace } from "../../contract/index.ts"
import type { Host, Sandbox, SandboxSpec } from "../../sandbox/index.ts"

/** One promise of a host, and the measurement that shows whether it is kept. */
export interface ConformanceCheck {
  /** The topic and what is measured: "timeouts.busy-loop". */
  readonly id: string
  /** One sentence for a person. */
  readonly promise: string
  /** Whether a host that declares these capabilities makes the promise at all; every host when absent. */
  readonly needs?: (can: Capabilities) => boolean
  /** Resolves with how it was measured; throws a ConformanceFailure when the promise is broken. */
  run(subject: Subject): Promise<string>
}

/** What a check may use: a sandbox of its own, which nobody else has touched. */
export interface Subject {
  readonly host: Host
  readonly sandbox: Sandbox
  readonly workspace: Workspace
  readonly can: Capabilities
  /** Aborts when the check's time is over. */
  readonly signal: AbortSignal
  /** One more sandbox of the host, destroyed after the check like the first. */
  another(spec?: Omit<SandboxSpec, "name">): Promise<Sandbox>
}

/** `kept` is null where the host does not make the promise. */
export interface ConformanceResult {
  readonly id: string
  readonly promise: string
  readonly kept: boolean | null
  readonly how: string
}

export interface ConformanceReport {
  readonly host: string
  readonly checks: readonly ConformanceResult[]
}

/** A broken promise; the message says what was measured. */
export class ConformanceFailure extends Error {
  override readonly name = "ConformanceFailure"
}

/** Resolves with how the promise was measured; throws a ConformanceFailure when it is broken. */
export type Measure = (subject: Subject) => Promise<string>

/** A capability that has to be declared, or a condition on all of them. */
type Needs =
  | "argumentLists"
  | "background"
  | "fileModes"
  | "liveInput"
  | "liveOutput"
  | "ports"
  | "sleep"
  | "snapshots"
  | "terminal"
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

/** What a host has to declare for a whole topic. */
const topicNeeds: Readonly<Record<string, Needs>> = {
  background: "background",
  "idle-timeouts": "liveOutput",
  "live-output": "liveOutput",
  ports: "ports",
  sleep: "sleep",
  snapshots: "snapshots",
  terminal: "terminal",
  checkpoints: (can) => can.checkpoints === true,
}

/** The checks of one topic: its promises, and how each of them is measured. */
export function defineChecks<Name extends string>(
  topic: string,
  promises: Readonly<Record<Name, string>>,
  measurements: Readonly<Record<NoInfer<Name>, Measurement>>,
): ConformanceCheck[] {
  return Object.entries<string>(promises).map(([name, promise]) => {
    const measurement = measurements[name as Name]
    const { needs = topicNeeds[topic], measure } =
      typeof measurement === "function" ? { measure: measurement } : measurement
    const id = `${topic}.${name}`
    if (needs === undefined) return { id, promise, run: measure }
    const isMet = typeof needs === "function" ? needs : (can: Capabilities) => can[needs] === true
    return { id, promise, needs: isMet, run: measure }
  })
}
