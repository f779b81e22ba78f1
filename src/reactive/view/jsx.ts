import type { Handler } from "../graph/handler.ts"
import { createElement, fragmentTag, type JsxElement } from "./element.ts"

type Component = (props: never) => unknown

/** What TypeScript and other compilers turn JSX into. */
export function jsx(
  type: string | Component,
  props: Readonly<Record<string, unknown>>,
  key?: string | number,
): unknown {
  // A component is a function that gives an element: it runs once, as the body does.
  return typeof type === "string" ? createElement(type, props, key) : type(props as never)
}

export function Fragment(props: { readonly children?: unknown }): JsxElement {
  return createElement(fragmentTag, { ...props })
}

/** What may stand between the tags. Functions are evaluated as values change. */
export type Child = unknown

interface Common {
  readonly id?: string
  readonly class?: string
  readonly style?: string
  readonly title?: string
  readonly hidden?: boolean
  readonly role?: string
  readonly tabindex?: number
  /** HTML, which the page sanitises. */
  readonly innerHTML?: string | undefined
  readonly children?: Child
  readonly [data: `data-${string}`]: string | number | boolean | undefined
  readonly [aria: `aria-${string}`]: string | number | boolean | undefined
}

/** A value, or a function or reference that gives it. */
type Live<Props> = {
  readonly [Name in keyof Props]: Name extends "children" | `on${string}`
    ? Props[Name]
    : Props[Name] | (() => Props[Name]) | { get(): Props[Name] }
}

// biome-ignore lint/suspicious/noExplicitAny: each handler says which fields of an event it reads.
type OnEvent = Handler<any>

interface Events {
  readonly onclick?: OnEvent
  readonly onchange?: OnEvent
  readonly oninput?: OnEvent
  readonly onsubmit?: OnEvent
}

type Html<More = unknown> = Live<Common & Events & More>

interface Field {
  readonly name?: string
  readonly value?: string | number
  readonly placeholder?: string
  readonly disabled?: boolean
  readonly required?: boolean
}

interface InputField extends Field {
  readonly type?: string
  readonly checked?: boolean
  readonly min?: string | number
  readonly max?: string | number
  readonly step?: string | number
}

interface Cell {
  readonly colspan?: number
  readonly rowspan?: number
}

type PlainTag =
  | ("article" | "aside" | "b" | "blockquote" | "br" | "code" | "dd")
  | ("div" | "dl" | "dt" | "em" | "fieldset" | "figcaption" | "figure" | "footer" | "h1" | "h2")
  | ("h3" | "h4" | "h5" | "h6" | "header" | "hr" | "i" | "kbd" | "legend" | "li" | "main" | "nav")
  | ("ol" | "p" | "pre" | "s" | "section" | "small" | "span" | "strong" | "sub" | "summary" | "sup")
  | ("table" | "tbody" | "tfoot" | "thead" | "time" | "tr" | "u" | "ul")

export declare namespace JSX {
  type Element = JsxElement
  interface ElementChildrenAttribute {
    children: unknown
  }
  interface IntrinsicAttributes {
    readonly key?: string | number
  }
  type IntrinsicElements = { readonly [Tag in PlainTag]: Html } & {
    readonly a: Html<{ readonly href?: string; readonly target?: string; readonly rel?: string }>
    readonly button: Html<{ readonly type?: "button" | "submit"; readonly disabled?: boolean }>
    readonly details: Html<{ readonly open?: boolean }>
    readonly form: Html
    readonly img: Html<{ src: string; alt: string; width?: number; height?: number }>
    readonly input: Html<InputField>
    readonly label: Html<{ readonly for?: string }>
    readonly option: Html<{ readonly value?: string; readonly selected?: boolean }>
    readonly progress: Html<{ readonly value?: number; readonly max?: number }>
    readonly select: Html<Field>
    readonly td: Html<Cell>
    readonly th: Html<Cell & { readonly scope?: "row" | "col" }>
    readonly textarea: Html<Field & { readonly rows?: number; readonly cols?: number }>
    /** Something is pending; with `show-elapsed` how long, with `show-stop` a button that ends it. */
    readonly "ct-loader": Html<{
      readonly "show-elapsed"?: boolean
      readonly "show-stop"?: boolean
      readonly size?: string
    }>
    /** A field that sends its text: without a name, as whichever field the handler reads. */
    readonly "common-input": Html<Pick<Field, "name" | "value" | "placeholder">>
  }
}
