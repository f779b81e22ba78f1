import { type Handler, handlerOf } from "../graph/handler.ts"
import { computedRef, isEvaluating, isRef } from "../graph/ref.ts"
import { resolve } from "../graph/resolve.ts"
import { createScope, wiringScope, withScope } from "../graph/scope.ts"
import { outsideTransaction } from "../graph/transaction.ts"
import type { Async, Input, Ref } from "../graph/types.ts"
import { publicWritable, type Writable, WritableNode } from "../graph/writable.ts"
import { reactiveLimits } from "../limits.ts"
import { isPatternScope, type PatternScope } from "../steps/instance.ts"
import { NAME, UI } from "../view/names.ts"

/** The inputs of a body: references that can be written, also those that were not given. */
export type Inputs<In> = { readonly [Key in keyof In]-?: Writable<In[Key]> }

/** What a body returns: its name, its page, and what programs and other patterns read. */
export interface Shown {
  readonly [NAME]?: Input<string>
  readonly [UI]?: unknown
}

/** What a body has to return for these outputs: each of them, or a reference to it. More is allowed. */
type Returned<Out> = { readonly [Key in keyof Out]: Input<Out[Key]> } & Shown &
  Readonly<Record<string, unknown>>

// biome-ignore lint/suspicious/noExplicitAny: of whatever events and results.
type Live = { get(): unknown } | Handler<any> | Async<any>

/** What others see of a pattern: steps, handlers and references as they are, the rest as references. */
export type Outputs<Out> = Shown & {
  readonly [Key in keyof Out]: Out[Key] extends Live ? Out[Key] : Ref<Out[Key]>
}

/** A pattern. Called in the body of another one, it becomes a part of that one. */
export interface Pattern<In, Out> {
  (inputs: Input<In>): Outputs<Out>
  readonly body: Body<In, Out>
}

export type Body<In, Out> = (inputs: Inputs<In>) => Returned<Out>

/**
 * Inputs, steps and a page, wired once: the body runs when the pattern is started, and what it returns changes as its
 * inputs and the results of its steps do.
 */
export function pattern<In extends object, Out extends object = object>(
  body: (inputs: Inputs<In>) => Returned<NoInfer<Out>>,
): Pattern<In, Out> {
  const inside = (inputs: Input<In>): Outputs<Out> => {
    const scope = isEvaluating() ? null : wiringScope()
    if (!isPatternScope(scope)) {
      throw new Error(
        "A pattern can be called only in the body of another one: start this one with run(pattern, inputs, { session }).",
      )
    }
    if (scope.path.split("/").length > reactiveLimits.patternDepth) {
      throw new Error(
        `Patterns can be in each other ${reactiveLimits.patternDepth} times: this one seems to be inside itself.`,
      )
    }
    const child: PatternScope = { ...scope, ...placesOf(`${scope.place("pattern")}/`) }
    return wire(body, child, createInputs<In>(inputs, (_name, given) => given).inputs)
  }
  return Object.assign(inside, { body })
}

function placesOf(path: string) {
  const { place } = createScope(path)
  return { path, place }
}

/** Runs a body in its scope. */
export function wire<In, Out>(
  body: Body<In, Out>,
  scope: PatternScope,
  inputs: Inputs<In>,
): Outputs<Out> {
  const returned: unknown = outsideTransaction(() => withScope(scope, () => body(inputs)))
  if (returned instanceof Promise) {
    returned.catch(() => {})
    throw new Error(
      "The body of a pattern can't be async: it runs once and wires. What takes time is a step, such as exec or fetchData.",
    )
  }
  if (typeof returned !== "object" || returned === null) {
    throw new Error(
      "The body of a pattern has to return an object, such as { [NAME]: …, [UI]: … }.",
    )
  }
  const live = Object.entries(returned).map(([name, value]) => [name, liveOutput(value)])
  return Object.assign({ ...returned }, Object.fromEntries(live))
}

function liveOutput(value: unknown): unknown {
  return isRef(value) || handlerOf(value) ? value : computedRef(() => resolve(value))
}

/** A writable for each input, made when it is asked for: nobody can list the names that a type has. */
export function createInputs<In>(
  given: unknown,
  initial: (name: string, given: unknown) => unknown,
): { readonly inputs: Inputs<In>; readonly made: ReadonlyMap<string, WritableNode> } {
  const made = new Map<string, WritableNode>()
  const find = (name: string): WritableNode => {
    const known = made.get(name)
    if (known) return known
    const value: unknown = isRef(given)
      ? given.property(name)
      : Reflect.get(Object(given ?? {}), name)
    const input = value instanceof WritableNode ? value : new WritableNode(initial(name, value))
    made.set(name, input)
    return input
  }
  for (const name of Object.keys(isRef(given) ? {} : Object(given ?? {}))) find(name)
  const inputs = new Proxy(Object.freeze({}), {
    get: (_target, name) => (typeof name === "string" ? publicWritable(find(name)) : undefined),
  })
  return { inputs: inputs as Inputs<In>, made }
}
