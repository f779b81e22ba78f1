import type { AgentOptions } from "../../agent/index.ts"
import type { Session } from "../../session/index.ts"
import { isEvaluating } from "../graph/ref.ts"
import { type Scope, wiringScope } from "../graph/scope.ts"
import { currentTransaction } from "../graph/transaction.ts"
import type { Async } from "../graph/types.ts"
import type { WritableScope } from "../graph/writable.ts"
import { StepNode, type StepOwner } from "./step.ts"
import type { StepKind } from "./wanted.ts"

/** A pattern that runs: what its steps work with. */
export interface Instance extends StepOwner {
  readonly session: Session
  /** The image of steps that name none, where the program has chosen one. */
  readonly image: string | undefined
  readonly model: AgentOptions["model"] | undefined
  /** The name of the next sandbox of the body, the same after a restart from a store. */
  sandboxName(): string
  /** What there is of the sandbox with this name. */
  sandboxPlace(name: string): SandboxPlace
  /** Done when the pattern ends. */
  onDispose(end: () => Promise<unknown> | undefined): void
}

/** A sandbox of a body. Where a body replaces another one, both have it for a moment. */
export interface SandboxPlace {
  /** Of what was made; null where nothing was. */
  image: string | null
  /** The making of it, and the writes: what is asked for later finds the files of what was asked for before. */
  before: Promise<unknown>
  users: number
}

export interface PatternScope extends WritableScope {
  readonly instance: Instance
}

/** Where something is asked for: the place in a body, or none in a handler. */
export interface Asked {
  readonly scope: PatternScope
  readonly place: string | null
}

/** The image of a step: where neither it nor the program names one, "node:22" if the host has it, else the host's default. */
export async function imageOf({ session, image }: Instance, named?: string): Promise<string> {
  const chosen = named ?? image
  if (chosen !== undefined) return chosen
  const images = await session.sandboxes.host.images()
  return images.find((one) => one === "node:22") ?? images[0] ?? "node:22"
}

/** Throws where `name` has no pattern to belong to. */
export function askedFor(name: string): Asked {
  if (isEvaluating()) {
    throw new Error(
      `${name} can't be called inside computed or in the braces of JSX: call it in the body of the pattern, or in a handler.`,
    )
  }
  const transaction = currentTransaction()
  const scope = transaction ? transaction.scope : wiringScope()
  if (!isPatternScope(scope)) {
    throw new Error(
      `${name} belongs to a pattern that runs: call it in the body of a pattern, or in a handler that was made or bound there.`,
    )
  }
  scope.requireOpen()
  return { scope, place: transaction ? null : scope.place(name) }
}

export function isPatternScope(scope: Scope | null): scope is PatternScope {
  return scope !== null && "instance" in scope
}

/** Adds a step to the pattern whose body or handler runs. */
export function addStep<Params, Result, Step extends Async<Result> = Async<Result>>(
  name: string,
  params: unknown,
  kindFor: (instance: Instance) => StepKind<Params>,
): Step {
  if (Object(params) !== params) throw new TypeError(`${name} takes its inputs as an object.`)
  const { scope, place } = askedFor(name)
  const kind = kindFor(scope.instance) as unknown as StepKind<never>
  return publicStep(new StepNode({ owner: scope.instance, kind, params, place }))
}

/** Its results have the type that its kind promises. */
function publicStep<Step>(step: StepNode): Step {
  return step as unknown as Step
}
