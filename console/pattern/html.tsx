import { h } from "preact"
import { useLayoutEffect, useRef } from "preact/hooks"
import type { PlainProp } from "./page-data.ts"
import { type Events, plainProps } from "./safe-elements.ts"

interface Props {
  readonly tag: string
  readonly props: Readonly<Record<string, PlainProp>>
  readonly events: Events
}

/** An element with `innerHTML`: sanitised here, where it is parsed. Its library is loaded where one is shown. */
export function Html({ tag, props, events }: Props) {
  const element = useRef<HTMLElement>(null)
  const markup = String(props.innerHTML)
  useLayoutEffect(() => {
    const shown = { isWanted: true, takeSheets: () => {} }
    void import("./markup/show-markup.ts").then(({ showMarkup }) => {
      if (shown.isWanted && element.current) {
        shown.takeSheets = showMarkup(element.current, markup)
      }
    })
    return () => {
      shown.isWanted = false
      shown.takeSheets()
    }
  }, [markup])
  const { class: name = "", ...others } = plainProps(tag, props)
  return h(tag, { ...others, ...events, class: `${name} inner-html`.trim(), ref: element })
}
