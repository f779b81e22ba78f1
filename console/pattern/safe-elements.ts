import { safeLink } from "../model/safe-link.ts"
import { eventData } from "./event-data.ts"
import { sendEvent } from "./follow-pattern.ts"
import type { PageElement, PlainProp } from "./page-data.ts"

/** The elements that a pattern's page may have, as the types of its JSX name them. */
export const tags: ReadonlySet<string> = new Set(
  (
    "a article aside b blockquote br button code dd details div dl dt em fieldset figcaption figure footer form " +
    "h1 h2 h3 h4 h5 h6 header hr i img input kbd label legend li main nav ol option p pre progress s section " +
    "select small span strong sub summary sup table tbody td textarea tfoot th thead time tr u ul"
  ).split(" "),
)

const names: ReadonlySet<string> = new Set(
  (
    "alt checked class cols colspan disabled for height hidden id max min name open placeholder rel required role " +
    "rows rowspan scope selected size step style tabindex target title type value width"
  ).split(" "),
)

/** The properties of an element that do what they say, and nothing else: no scripts, no frames, no foreign addresses. */
export function plainProps(
  tag: string,
  props: Readonly<Record<string, PlainProp>>,
): Readonly<Record<string, PlainProp>> {
  const shown = Object.entries(props).filter(
    ([name]) => names.has(name) || /^(data|aria)-[\w-]+$/.test(name),
  )
  return { ...Object.fromEntries(shown), ...addressOf(tag, props) }
}

function addressOf(
  tag: string,
  { href, src }: Readonly<Record<string, PlainProp>>,
): Readonly<Record<string, PlainProp>> {
  if (tag === "a" && typeof href === "string") {
    if (href.startsWith("#")) return { href }
    const link = safeLink(href)
    return link ? { href: link.href, target: "_blank", rel: "noopener noreferrer" } : {}
  }
  // The page's policy allows no others.
  if (tag === "img" && typeof src === "string" && /^data:image\//.test(src)) return { src }
  return {}
}

/** Each resolves when the page shows what the event did. */
export type Events = Readonly<Record<string, (event: Event) => Promise<void>>>

const eventNames: Readonly<Record<string, string>> = {
  onclick: "onClick",
  onchange: "onChange",
  oninput: "onInput",
  onsubmit: "onSubmit",
}

/** What sends the events of an element to its handlers on the server. */
export function eventProps({ tag, props }: PageElement): Events {
  const found = Object.entries(props).flatMap(([name, prop]) => {
    const listened = eventNames[name]
    if (listened === undefined || typeof prop !== "object" || !("handler" in prop)) return []
    const listen = (event: Event) => {
      if (event.type === "submit") event.preventDefault()
      return sendEvent(prop.handler, eventData(event))
    }
    return [[listened, listen] as const]
  })
  // A form is never sent by the browser itself.
  return { ...(tag === "form" && { onSubmit: preventDefault }), ...Object.fromEntries(found) }
}

async function preventDefault(event: Event): Promise<void> {
  event.preventDefault()
}
