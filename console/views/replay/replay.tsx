import { useSignal } from "@preact/signals"
import { useEffect, useMemo, useRef } from "preact/hooks"
import { useLocation } from "preact-iso"
import { CardView } from "../../cards/card.tsx"
import { Moment } from "../../cards/moment.ts"
import { replayPath, sessionPath } from "../../navigation/views.ts"
import { ShownText } from "../../parts/text/shown-text.tsx"
import { type ListControl, VirtualList } from "../../parts/virtual-list.tsx"
import { page } from "../../state/client.ts"
import { sessions } from "../../state/sessions.ts"
import { changedCard, openReplay, type Replay, type ReplayShown } from "./open-replay.ts"
import { PastFiles } from "./past-files.tsx"
import { createPastOutput } from "./past-output.ts"
import { ReplayControls } from "./replay-controls.tsx"

interface ReplayViewProps {
  readonly session: string
  /** From the address. */
  readonly entry: string
}

/** How long the place stays before the address follows it: browsers refuse too many addresses in a short time. */
const addressMs = 400

/** A session as it was at one of its entries. */
export function ReplayView({ session, entry }: ReplayViewProps) {
  const { route } = useLocation()
  const replay = useSignal<Replay | null>(null)
  const at = useSignal(entryOf(entry))
  /** The last one that was written to the address. */
  const written = useRef(entryOf(entry))
  useEffect(() => {
    const opened = openReplay(session)
    replay.value = opened
    return () => opened.close()
  }, [session])
  useEffect(() => {
    // Another address was opened, such as by the browser's way back.
    if (entryOf(entry) !== written.current) at.value = entryOf(entry)
    written.current = entryOf(entry)
  }, [entry])
  // Also when the server is back: what could not be read then is read now.
  useEffect(() => replay.value?.goTo(at.value), [page.value.kind])
  useEffect(() => {
    replay.value?.goTo(at.value)
    if (at.value === written.current) return
    const timer = setTimeout(() => {
      written.current = at.value
      route(replayPath(session, at.value), true)
    }, addressMs)
    return () => clearTimeout(timer)
  }, [replay.value, at.value])
  const opened = replay.value
  return (
    <div class="session-view">
      <div class="session-cards replay">
        <h1>
          <ShownText text={session} /> <span class="badge">replay</span>
        </h1>
        {opened && <Shown key={session} session={session} replay={opened} at={at} />}
      </div>
    </div>
  )
}

function entryOf(text: string): number {
  const number = Number(text)
  return Number.isSafeInteger(number) && number > 0 ? number : 1
}

interface ShownProps {
  readonly session: string
  readonly replay: Replay
  readonly at: { value: number }
}

function Shown({ session, replay, at }: ShownProps) {
  const { route } = useLocation()
  const state = replay.state.value
  if (state.kind === "loading") return <p aria-busy="true" class="loading" />
  if (state.kind === "failed") {
    return (
      <>
        <p role="alert">
          <ShownText text={state.why} />
        </p>
        <a href={sessionPath(session)}>To the session as it is now</a>
      </>
    )
  }
  const head = Math.max(state.head, sessions.value.find(({ name }) => name === session)?.head ?? 0)
  return (
    <>
      <ReplayControls
        at={Math.min(at.value, head)}
        head={head}
        shown={state.entry}
        onGo={(sequence) => {
          at.value = Math.max(1, Math.min(head, sequence))
        }}
        onLive={() => route(sessionPath(session))}
      />
      <PastFiles session={session} entry={state.entry.sequence} />
      <PastCards session={session} replay={replay} state={state} />
    </>
  )
}

interface PastCardsProps {
  readonly session: string
  readonly replay: Replay
  readonly state: ReplayShown
}

function PastCards({ session, replay, state }: PastCardsProps) {
  const control = useRef<ListControl | null>(null)
  const output = useMemo(() => createPastOutput(session), [session])
  useEffect(() => () => output.close(), [output])
  const ids = replay.ids.value
  const changed = changedCard(state)
  useEffect(() => {
    if (changed !== null && ids.includes(changed)) control.current?.toItem(changed)
    else control.current?.toEnd()
  }, [state.entry.sequence])
  if (ids.length === 0) return <p class="empty">Nothing that is shown had happened yet.</p>
  return (
    <Moment.Provider value={state.entry.at_ms}>
      <VirtualList
        label="Cards"
        {...{ ids, control }}
        place={{ isAtEnd: true, first: null }}
        draw={(id) => {
          const card = replay.card(id)
          return (
            card && (
              <div class={id === changed ? "changed" : undefined}>
                <CardView card={card} output={() => output.of(card)} session={session} />
              </div>
            )
          )
        }}
        onPlace={() => {}}
        onNearStart={() => {
          if (state.hasEarlier) void replay.loadEarlier().catch(() => {})
        }}
        onNearEnd={() => {}}
      />
    </Moment.Provider>
  )
}
