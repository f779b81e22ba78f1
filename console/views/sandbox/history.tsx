import type { RouteAnswer } from "../../../src/api/index.ts"
import { receiptAddress } from "../../cards/call.tsx"
import { sandboxPath } from "../../navigation/views.ts"
import { Table } from "../../parts/table.tsx"
import { ShownText } from "../../parts/text/shown-text.tsx"
import { Moment } from "../../parts/time.tsx"
import { client } from "../../state/client.ts"
import { usePast } from "./past.tsx"
import type { SandboxPlace } from "./sandbox-facts.ts"
import { bytesText } from "./usage-lines.ts"

type Event = RouteAnswer<"sandboxes.history">["events"][number]

/** What happened to a sandbox, and the calls that ran in it. */
export function History(place: SandboxPlace) {
  const { items, problem, earlier } = usePast(place, async (before, signal) => {
    const { events, next } = await client().request(
      "sandboxes.history",
      { ...place, ...(before !== undefined && { before }) },
      { signal },
    )
    return { items: events, next }
  })
  return (
    <section aria-label="History">
      {problem}
      {items?.length === 0 && <p class="empty">Nothing of this sandbox is recorded.</p>}
      {items && items.length > 0 && (
        <Table label="What happened" columns={["When", "What"]}>
          {items.map((event) => (
            <tr key={event.sequence}>
              <td>
                <Moment ms={event.at_ms} />
              </td>
              <td>
                <EventText event={event} session={place.session} />
              </td>
            </tr>
          ))}
        </Table>
      )}
      {earlier}
    </section>
  )
}

const texts = {
  created: "Created",
  found: "Found again by a new process of Toolkeep",
  slept: "Slept",
  woke: "Woke",
  destroyed: "Destroyed",
} as const

function EventText({ event, session }: { readonly event: Event; readonly session: string }) {
  const { what, call, tool = "", to = "", path = "", bytes = 0, image } = event
  const other = (
    <a href={sandboxPath(session, to)}>
      <ShownText text={to} />
    </a>
  )
  const copied = (
    <>
      <code>
        <ShownText text={path} />
      </code>{" "}
      ({bytesText(bytes)})
    </>
  )
  switch (what) {
    case "call":
      return (
        <>
          Call of{" "}
          <a href={receiptAddress(session, call ?? "")}>
            <ShownText text={tool} />
          </a>
        </>
      )
    case "created":
      return (
        <>
          Created{" "}
          {image !== undefined && (
            <>
              from <ShownText text={image} />
            </>
          )}
        </>
      )
    case "forked":
      return <>Forked to {other}</>
    case "forked-from":
      return <>Forked from {other}</>
    case "transferred":
      return (
        <>
          Copied {copied} to {other}
        </>
      )
    case "received":
      return (
        <>
          Got {copied} from {other}
        </>
      )
    default:
      return <>{texts[what]}</>
  }
}
