import type { StepFailure } from "../graph/failure.ts"
import { type HandlerNode, handlerOf } from "../graph/handler.ts"
import { evaluatePart, isRef, type RefNode } from "../graph/ref.ts"
import { isPlainObject } from "../graph/resolve.ts"
import { Budget } from "./budget.ts"
import { fragmentTag, isElement, type JsxElement } from "./element.ts"
import { loaderOf } from "./loader.ts"
import { UI } from "./names.ts"

type AnyHandler = HandlerNode<unknown, unknown>

/** What a page draws: texts, elements, holes by their number, and errors in place of what could not be evaluated. */
export type ViewNode =
  | string
  | { readonly hole: number }
  | { readonly error: StepFailure }
  | ViewElement

export interface ViewElement {
  readonly tag: string
  readonly props: Readonly<Record<string, ViewProp>>
  readonly children: readonly ViewNode[]
  readonly key?: string | number
}

export type ViewProp =
  | string
  | number
  | boolean
  | { readonly hole: number }
  | { readonly handler: string }

/** What becomes of what is not data. */
export interface RenderOptions {
  /** Whether this is the content of a hole. */
  readonly isHole: boolean
  readonly children: (read: () => unknown) => readonly ViewNode[]
  readonly prop: (read: () => unknown) => ViewProp | undefined
  readonly handler: (handler: AnyHandler) => string
  readonly budget: Budget
}

/** Inside a hole: what is a hole itself is evaluated with it. Handlers get their numbers when it is shown. */
export function renderHole(content: unknown): {
  readonly nodes: readonly ViewNode[]
  readonly handlers: readonly AnyHandler[]
} {
  const handlers: AnyHandler[] = []
  const budget = new Budget()
  const options: RenderOptions = {
    ...{ isHole: true, budget },
    children: (read) => evaluatePart(() => renderChildren(read(), options)),
    prop: (read) => plainProp(read(), budget),
    handler: (handler) => String(handlers.push(handler) - 1),
  }
  return { nodes: renderChildren(content, options), handlers }
}

/** The same nodes with the numbers that a page knows. */
export function numberHandlers(
  nodes: readonly ViewNode[],
  numbers: readonly string[],
): readonly ViewNode[] {
  if (numbers.length === 0) return nodes
  return nodes.map((node) => {
    if (typeof node === "string" || !("tag" in node)) return node
    const props = Object.entries(node.props).map(([name, prop]) => {
      const isHandler = typeof prop === "object" && "handler" in prop
      return [name, isHandler ? { handler: numbers[Number(prop.handler)] ?? "" } : prop] as const
    })
    const children = numberHandlers(node.children, numbers)
    return { ...node, props: Object.fromEntries(props), children }
  })
}

/** Content of an element, as nodes. */
export function renderChildren(child: unknown, options: RenderOptions): readonly ViewNode[] {
  if (child === undefined || child === null || typeof child === "boolean") return []
  const { budget } = options
  if (Array.isArray(child)) return child.flatMap((one) => renderChildren(one, options))
  budget.countNode()
  if (typeof child === "string") return [budget.cut(child)]
  if (typeof child === "number" || typeof child === "bigint") return [String(child)]
  if (isRef(child) || (typeof child === "function" && handlerOf(child) === null)) {
    return options.children(readerOf(child))
  }
  if (isElement(child)) return renderElement(child, options)
  if (typeof child === "object" && UI in child) return renderChildren(child[UI], options)
  return [budget.cut(textOf(child))]
}

function renderElement(element: JsxElement, options: RenderOptions): readonly ViewNode[] {
  // As a whole, so that it knows the steps that its properties read.
  if (element.tag === "ct-loader" && !options.isHole) return options.children(() => element)
  const children = element.children.flatMap((child) => renderChildren(child, options))
  if (element.tag === fragmentTag) return children
  const props = Object.entries(element.props).flatMap(([name, value]) => {
    const prop = renderProp(name, value, options)
    return prop === undefined ? [] : [[name, prop] as const]
  })
  const { tag, key } = element
  const shown: Readonly<Record<string, ViewProp>> = Object.fromEntries(props)
  const all = tag === "ct-loader" ? { ...shown, ...loaderProps(shown, options) } : shown
  return [{ tag, props: all, children, ...(key !== undefined && { key }) }]
}

/** What its properties ask for, of the steps that were read here. */
function loaderProps(
  props: Readonly<Record<string, ViewProp>>,
  options: RenderOptions,
): Readonly<Record<string, ViewProp>> {
  const { since, stop } = loaderOf()
  return {
    ...(props["show-elapsed"] && since !== undefined && { since }),
    ...(props["show-stop"] && stop && { onstop: { handler: options.handler(stop) } }),
  }
}

function renderProp(name: string, value: unknown, options: RenderOptions): ViewProp | undefined {
  const handler = handlerOf(value)
  if (handler) return { handler: options.handler(handler) }
  if (name.startsWith("on") && value !== undefined) {
    throw new Error(`${name} takes a handler: write ${name}={handler(() => …)}.`)
  }
  if (isRef(value) || typeof value === "function") {
    return options.prop(readerOf(value))
  }
  return plainProp(value, options.budget)
}

/** What an attribute can be: the rest becomes text. */
export function plainProp(value: unknown, budget: Budget): string | number | boolean | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value === "number" || typeof value === "boolean") return value
  return budget.cut(typeof value === "string" ? value : textOf(value))
}

function readerOf(hole: RefNode | object): () => unknown {
  return isRef(hole) ? () => hole.get() : () => (hole as () => unknown)()
}

/** An object as text: a failure is its message. */
function textOf(value: unknown): string {
  if (isPlainObject(value) && typeof value.message === "string") return value.message
  if (value instanceof Error) return value.message
  return JSON.stringify(value) ?? String(value)
}
