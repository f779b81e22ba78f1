import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { lazy, useLocation } from "preact-iso"
import { sandboxPath, sessionPath } from "../../navigation/views.ts"
import { failureText } from "../../parts/action.tsx"
import { ShownText } from "../../parts/shown-text.tsx"
import { Day } from "../../parts/time.tsx"
import { sessions } from "../../state/sessions.ts"
import { Files } from "./files.tsx"
import { Preview } from "./preview.tsx"
import { Processes } from "./processes.tsx"
import { SandboxActions } from "./sandbox-actions.tsx"
import { type Sandbox, type SandboxPlace, sandboxesOf } from "./sandbox-facts.ts"

const TerminalTab = lazy(() =>
  import("../../terminal/terminal-tab.tsx").then((it) => it.TerminalTab),
)

const tabs = ["files", "processes", "terminal", "preview"] as const
type Tab = (typeof tabs)[number]

type Facts =
  | { readonly kind: "loading" }
  | { readonly kind: "there"; readonly all: readonly Sandbox[] }
  | { readonly kind: "failed"; readonly why: string }

/** One sandbox. What it shows is in the address: the tab, and the path of a file. */
export function SandboxView({ session, sandbox }: SandboxPlace) {
  const facts = useSignal<Facts>({ kind: "loading" })
  const head = sessions.value.find(({ name }) => name === session)?.head
  const load = () =>
    sandboxesOf(session).then(
      (all) => {
        facts.value = { kind: "there", all }
      },
      (error: unknown) => {
        facts.value = { kind: "failed", why: failureText(error) }
      },
    )
  // What is recorded in the session may have changed it.
  useEffect(() => void load(), [session, sandbox, head])
  const shown = facts.value
  const found =
    shown.kind === "there" ? shown.all.find((one) => one.sandbox === sandbox) : undefined
  return (
    <>
      <h1>
        <ShownText text={sandbox} />{" "}
        <small>
          in{" "}
          <a href={sessionPath(session)}>
            <ShownText text={session} />
          </a>
        </small>
      </h1>
      {shown.kind === "failed" && <p role="alert">{shown.why}</p>}
      {shown.kind === "there" && !found && (
        <p class="empty">
          The server has no such sandbox open. A command or a file in it opens it again.
        </p>
      )}
      {found && shown.kind === "there" && (
        <>
          <SandboxFacts sandbox={found} />
          <SandboxActions
            session={session}
            sandbox={found}
            others={shown.all.filter((one) => one !== found)}
            onChange={load}
          />
          <Tabs session={session} sandbox={sandbox} />
        </>
      )}
    </>
  )
}

function SandboxFacts({ sandbox }: { readonly sandbox: Sandbox }) {
  const { status, image, network, created_ms, sleep_after_ms } = sandbox
  return (
    <dl class="facts">
      <div>
        <dt>Status</dt>
        <dd>
          <span class={`badge ${status === "running" ? "good" : ""}`}>{status}</span>
        </dd>
      </div>
      <div>
        <dt>Image</dt>
        <dd>
          <ShownText text={image} />
        </dd>
      </div>
      <div>
        <dt>Network</dt>
        <dd>{network}</dd>
      </div>
      <div>
        <dt>Created</dt>
        <dd>
          <Day ms={created_ms} />
        </dd>
      </div>
      <div>
        <dt>Sleeps after</dt>
        <dd>{Math.round(sleep_after_ms / 60_000)} min without use</dd>
      </div>
    </dl>
  )
}

function Tabs({ session, sandbox }: SandboxPlace) {
  const { query } = useLocation()
  const { tab = "files", path = "." } = query as { tab?: Tab; path?: string }
  const place = { session, sandbox }
  return (
    <>
      <nav class="tabs" aria-label="Of this sandbox">
        {tabs.map((one) => (
          <a
            key={one}
            href={`${sandboxPath(session, sandbox)}?tab=${one}`}
            aria-current={tab === one ? "page" : undefined}
          >
            {one[0]?.toUpperCase() + one.slice(1)}
          </a>
        ))}
      </nav>
      {tab === "files" && <Files {...place} path={path} />}
      {tab === "processes" && <Processes {...place} />}
      {tab === "preview" && <Preview {...place} />}
      {tab === "terminal" && <TerminalTab {...place} />}
    </>
  )
}
