import { useComputed, useSignal } from "@preact/signals"
import { useEffect, useRef } from "preact/hooks"
import { useLocation } from "preact-iso"
import { CardView } from "../cards/card.tsx"
import { Receipt } from "../cards/receipt/receipt.tsx"
import { isFiltering, matchesFilter, toolsOf } from "../model/card-filter.ts"
import { type ListControl, VirtualList } from "../parts/virtual-list.tsx"
import { useKeys } from "../state/keys.ts"
import { readingOf } from "../state/reading.ts"
import { openRecord, type RecordLoaded, type SessionRecord } from "../state/record.ts"
import { FilterBar } from "./session-filter.tsx"
import { Grants } from "./session-grants.tsx"
import { cardKeys } from "./session-keys.ts"

/** The cards of one session, from the newest on, and the receipt of one of them. */
export function SessionView({ session }: { readonly session: string }) {
  const record = useSignal<SessionRecord | null>(null)
  const { query } = useLocation()
  useEffect(() => {
    const opened = openRecord(session)
    record.value = opened
    return () => opened.close()
  }, [session])
  const opened = record.value
  return (
    <div class="session-view">
      <div class="session-cards">
        <h1>{session}</h1>
        {opened && <Cards key={session} record={opened} session={session} />}
      </div>
      {opened && query.call !== undefined && (
        <Receipt key={query.call} session={session} call={query.call} record={opened} />
      )}
    </div>
  )
}

interface CardsProps {
  readonly record: SessionRecord
  readonly session: string
}

function Cards({ record, session }: CardsProps) {
  const state = record.state.value
  if (state.kind === "loading") return <p aria-busy="true" class="loading" />
  if (state.kind === "failed") return <p role="alert">{state.why}</p>
  if (record.ids.value.length === 0) {
    return <p class="empty">No call yet. Calls of agents that use this session come here.</p>
  }
  return <LoadedCards record={record} session={session} state={state} />
}

function LoadedCards({ record, session, state }: CardsProps & { readonly state: RecordLoaded }) {
  const reading = readingOf(session)
  const control = useRef<ListControl | null>(null)
  const shown = useComputed(() => {
    const filter = reading.filter.value
    if (!isFiltering(filter)) return record.ids.value
    return record.ids.value.filter((id) => {
      const card = record.card(id)
      return card && matchesFilter(card.value, filter)
    })
  })
  const tools = useComputed(() =>
    toolsOf(record.ids.value.flatMap((id) => record.card(id)?.value ?? [])),
  )
  const isFiltered = isFiltering(reading.filter.value)
  const ids = shown.value
  const lastSeen = reading.lastSeen.value
  const isFollowing = reading.place.value.isAtEnd && state.isAtEnd
  const seenAt = ids.lastIndexOf(lastSeen ?? "")
  const newer = state.missed + (seenAt === -1 ? 0 : ids.length - 1 - seenAt)
  const toEnd = async () => {
    if (!state.isAtEnd) await record.toEnd()
    control.current?.toEnd()
  }
  useKeys(
    cardKeys(() => void toEnd()),
    [record, state.isAtEnd],
  )
  return (
    <>
      <Grants session={session} />
      <FilterBar filter={reading.filter} tools={tools.value} />
      {isFiltered && (
        <p class="quiet" role="status">
          {ids.length} of {record.ids.value.length} loaded cards{" "}
          {state.hasEarlier && (
            <button type="button" onClick={() => void record.loadEarlier()}>
              Search earlier
            </button>
          )}
        </p>
      )}
      <VirtualList
        label="Cards"
        {...{ ids, control }}
        place={reading.place.peek()}
        draw={(id) => {
          const card = record.card(id)
          return card && <CardView card={card} output={record.output} session={session} />
        }}
        onPlace={(place) => {
          const known = reading.place.peek()
          const isSame = known.isAtEnd === place.isAtEnd && known.first === place.first
          if (!isSame) reading.place.value = place
          if (place.isAtEnd && state.isAtEnd) reading.lastSeen.value = ids.at(-1) ?? null
        }}
        onNearStart={() => {
          if (!isFiltered && state.hasEarlier) void record.loadEarlier().catch(() => {})
        }}
        onNearEnd={() => {
          if (!state.isAtEnd) void record.loadLater().catch(() => {})
        }}
      />
      {!isFollowing && (
        <button type="button" class="to-end main" onClick={() => void toEnd()}>
          {newer > 0 ? `${newer} new` : "To the end"}
        </button>
      )}
    </>
  )
}
