import { type ComponentChildren, h } from "preact"
import { CommonInput, Field, isField } from "./fields.tsx"
import { Html } from "./html.tsx"
import { Loader } from "./loader.tsx"
import type { PageElement, PageNode, PlainProp } from "./page-data.ts"
import { holeValue } from "./page-state.ts"
import { ProblemView } from "./problem-view.tsx"
import { eventProps, plainProps, tags } from "./safe-elements.ts"

export function Nodes({ nodes }: { readonly nodes: readonly PageNode[] }) {
  return <>{nodes.map(draw)}</>
}

function draw(node: PageNode, index: number): ComponentChildren {
  if (typeof node === "string") return node
  if ("hole" in node) return <Hole key={`hole ${node.hole}`} index={node.hole} />
  if ("error" in node) return <ProblemView key={`error ${index}`} problem={node.error} />
  return <Element key={node.key ?? index} element={node} />
}

function Hole({ index }: { readonly index: number }) {
  const value = holeValue(index)
  return Array.isArray(value) ? <Nodes nodes={value} /> : null
}

/** Draws itself again when a property in a hole changes, without its neighbours. */
function Element({ element }: { readonly element: PageElement }) {
  const { tag, children } = element
  const given = Object.entries(element.props).flatMap(([name, prop]) => {
    if (typeof prop !== "object") return [[name, prop] as const]
    if ("handler" in prop) return []
    const value = holeValue(prop.hole)
    return isPlain(value) ? [[name, value] as const] : []
  })
  const props: Readonly<Record<string, PlainProp>> = Object.fromEntries(given)
  const failed = failureIn(element)
  if (failed) return failed
  const events = eventProps(element)
  if (tag === "ct-loader") return <Loader props={props} events={element.props} />
  if (tag === "common-input") return <CommonInput props={props} events={events} />
  // What is not an element that a page may have is shown as the text that it is.
  if (!tags.has(tag)) return <Unknown tag={tag} nodes={children} />
  if (props.innerHTML !== undefined) return <Html tag={tag} props={props} events={events} />
  const content = children.length === 0 ? null : children.map(draw)
  if (isField(tag)) return <Field {...{ tag, props, events }}>{content}</Field>
  return h(tag, { ...plainProps(tag, props), ...events }, content)
}

/** A property whose expression threw: the hole has the error instead of a value. */
function failureIn({ props }: PageElement): ComponentChildren {
  for (const prop of Object.values(props)) {
    if (typeof prop !== "object" || !("hole" in prop)) continue
    const value = holeValue(prop.hole)
    if (Array.isArray(value)) return <Nodes nodes={value} />
  }
  return null
}

function Unknown({ tag, nodes }: { readonly tag: string; readonly nodes: readonly PageNode[] }) {
  return (
    <>
      {`<${tag}>`}
      <Nodes nodes={nodes} />
      {`</${tag}>`}
    </>
  )
}

function isPlain(value: unknown): value is PlainProp {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean"
}
