/** What JSX makes: data, without a browser. Functions and refs in it are holes, filled in as values change. */
export interface JsxElement {
  readonly tag: string
  readonly props: Readonly<Record<string, unknown>>
  readonly children: readonly unknown[]
  readonly key?: string | number
}

/** Tells an element from an object that a pattern returns. */
const elements = new WeakSet<object>()

export function createElement(
  tag: string,
  { children, ...props }: Readonly<Record<string, unknown>>,
  key?: string | number,
): JsxElement {
  const element: JsxElement = {
    ...{ tag, props },
    children: children === undefined ? [] : Array.isArray(children) ? children : [children],
    ...(key !== undefined && { key }),
  }
  elements.add(element)
  return element
}

export function isElement(value: unknown): value is JsxElement {
  return typeof value === "object" && value !== null && elements.has(value)
}

/** The tag of `<>…</>`. */
export const fragmentTag = ""
