import { useComputed, useSignal } from "@preact/signals"
import { useEffect, useRef } from "preact/hooks"
import { useLocation } from "preact-iso"
import { CardView } from "../cards/card.tsx"
import { DraftMessage } from "../cards/message.tsx"
import { Receipt } from "../cards/receipt/receipt.tsx"
import { isFiltering, matchesFilter, toolsOf } from "../model/card-filter.ts"
import { replayPath } from "../navigation/views.ts"
import { OnlineButton } from "../parts/action.tsx"
import { type ListControl, VirtualList } from "../parts/virtual-list.tsx"
import { useKeys } from "../state/keys.ts"
import { openRecord, type RecordLoaded, type SessionRecord } from "../state/record/record.ts"
import { sessions } from "../state/sessions.ts"
import { Ask } from "./ask/ask.tsx"
import { readingOf } from "./reading.ts"
import { FilterBar } from "./session-filter.tsx"
import { Grants } from "./session-grants.tsx"
import { cardKeys } from "./session-keys.ts"
import { SessionTabs } from "./session-tabs.tsx"

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
        <header class="session-title">
          <h1>{session}</h1>
          <ReplayLink session={session} />
        </header>
        <SessionTabs session={session} current="calls" />
        {opened && <Cards key={session} record={opened} session={session} />}
        <Ask key={`ask ${session}`} session={session} />
      </div>
      {opened && query.call !== undefined && (
        <Receipt key={query.call} session={session} call={query.call} record={opened} />
      )}
    </div>
  )
}

function ReplayLink({ session }: { readonly session: string }) {
  const head = sessions.value.find(({ name }) => name === session)?.head ?? 0
  if (head === 0) return null
  return (
    <a class="beside-title" href={replayPath(session, head)}>
      Replay
    </a>
  )
}

/** Where what the model writes stands, after the cards. */
const draftId = "draft"

interface CardsProps {
  readonly record: SessionRecord
  readonly session: string
}

function Cards({ record, session }: CardsProps) {
  const state = record.state.value
  if (state.kind === "loading") return <p aria-busy="true" class="loading" />
  if (state.kind === "failed") return <p role="alert">{state.why}</p>
  if (record.ids.value.length === 0 && record.draft.value === "") {
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
  const isWriting = useComputed(() => record.draft.value !== "")
  const ids = shown.value
  const drawn = isWriting.value && state.isAtEnd ? [...ids, draftId] : ids
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
            <OnlineButton onClick={() => void record.loadEarlier().catch(() => {})}>
              Search earlier
            </OnlineButton>
          )}
        </p>
      )}
      <VirtualList
        label="Cards"
        {...{ ids: drawn, control }}
        place={reading.place.peek()}
        draw={(id) => {
          if (id === draftId) return <DraftMessage text={record.draft} />
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
