import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { useLocation } from "preact-iso"
import { ApiError, type RouteAnswer } from "../../../src/api/index.ts"
import { Action, failureText } from "../../parts/action.tsx"
import { Field } from "../../parts/field.tsx"
import { client } from "../../state/client.ts"
import { sessions } from "../../state/sessions.ts"
import { ToolForm } from "./tool-form.tsx"
import { ToolList } from "./tool-list.tsx"

export type Tool = RouteAnswer<"tools.list">["tools"][number]

type Listing =
  | { readonly kind: "loading" }
  | { readonly kind: "listed"; readonly tools: readonly Tool[] }
  | { readonly kind: "no-session" }
  | { readonly kind: "failed"; readonly why: string }

/** The tools of a session, each with a form. The address has the session and the tool. */
export function Try() {
  const { query, route } = useLocation()
  const { session: named, tool: wanted } = query as { session?: string; tool?: string }
  /** The latest when the page was opened: it must not change while somebody fills in a form. */
  const latest = useSignal<string | null>(null)
  const session = named ?? latest.value ?? "console"
  const listing = useSignal<Listing>({ kind: "loading" })
  const load = async () => {
    listing.value = await listTools(session)
  }
  useEffect(() => {
    let isWanted = true
    const open = async () => {
      latest.value ??= named === undefined ? await latestSession() : null
      const isKnown = named !== undefined || latest.value !== null
      const found = isKnown ? await listTools(named ?? latest.value ?? "") : noSession
      if (isWanted) listing.value = found
    }
    listing.value = { kind: "loading" }
    void open()
    return () => {
      isWanted = false
    }
  }, [named])
  const show = (next: { readonly session: string; readonly tool?: string }) =>
    route(`/try?${new URLSearchParams(next)}`)
  const listed = listing.value
  const tools = listed.kind === "listed" ? listed.tools : []
  const tool = tools.find(({ name }) => name === wanted)
  return (
    <>
      <h1>Try a tool</h1>
      <SessionChoice session={session} onChoose={(name) => show({ session: name })} />
      {listed.kind === "failed" && <p role="alert">{listed.why}</p>}
      {listed.kind === "no-session" && <NoSession session={session} onStarted={load} />}
      {listed.kind === "listed" && (
        <div class="try">
          <ToolList tools={tools} session={session} chosen={tool?.name} />
          {tool ? (
            <ToolForm key={`${session} ${tool.name}`} tool={tool} session={session} />
          ) : (
            <p class="empty">Choose a tool. It runs as if an agent had called it.</p>
          )}
        </div>
      )}
    </>
  )
}

const noSession: Listing = { kind: "no-session" }

async function latestSession(): Promise<string | null> {
  const found = await client()
    .request("sessions.list", { limit: 1 })
    .catch(() => null)
  return found?.sessions[0]?.name ?? null
}

async function listTools(session: string): Promise<Listing> {
  try {
    const { tools } = await client().request("tools.list", { session, all: true })
    return { kind: "listed", tools }
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return noSession
    return { kind: "failed", why: failureText(error) }
  }
}

interface SessionChoiceProps {
  readonly session: string
  readonly onChoose: (session: string) => void
}

function SessionChoice({ session, onChoose }: SessionChoiceProps) {
  return (
    <div class="session-choice">
      <Field label="Session">
        <input
          list="try-sessions"
          value={session}
          onChange={({ currentTarget }) => onChoose(currentTarget.value || "console")}
        />
      </Field>
      <datalist id="try-sessions">
        {sessions.value.map(({ name }) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </div>
  )
}

interface NoSessionProps {
  readonly session: string
  readonly onStarted: () => Promise<void>
}

/** Which tools there are depends on the session, so there must be one. */
function NoSession({ session, onStarted }: NoSessionProps) {
  return (
    <section class="empty">
      <p>There is no session “{session}” yet.</p>
      <Action
        look="main"
        onAct={() =>
          client().request("sandboxes.create", { session, sandbox: "default" }).then(onStarted)
        }
      >
        Start it with a sandbox
      </Action>
    </section>
  )
}
