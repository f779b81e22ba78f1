import { useRef } from "preact/hooks"
import { Elapsed } from "../parts/time.tsx"
import { sendEvent } from "./follow-pattern.ts"
import type { PageProp, PlainProp } from "./page-data.ts"

interface Props {
  readonly props: Readonly<Record<string, PlainProp>>
  readonly events: Readonly<Record<string, PageProp>>
}

/** `ct-loader`: something is pending; how long, and a button that ends it. */
export function Loader({ props, events }: Props) {
  const shownAt = useRef(Date.now())
  if (props.hidden === true) return null
  const { onstop } = events
  const stop = typeof onstop === "object" && "handler" in onstop ? onstop.handler : null
  const since = typeof props.since === "number" ? props.since : shownAt.current
  return (
    <span class="ct-loader" role="status" aria-label="Working" data-size={props.size}>
      <span class="spinner" />
      {props["show-elapsed"] === true && <Elapsed sinceMs={since} />}
      {stop !== null && (
        <button type="button" onClick={() => void sendEvent(stop, {})}>
          Stop
        </button>
      )}
    </span>
  )
}
