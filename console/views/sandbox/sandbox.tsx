import { lazy, useLocation } from "preact-iso"
import { SessionLink } from "../../navigation/session-link.tsx"
import { sandboxPath } from "../../navigation/views.ts"
import { ShownText } from "../../parts/text/shown-text.tsx"
import { Day } from "../../parts/time.tsx"
import { useLoaded } from "../../parts/use-loaded.ts"
import { sessions } from "../../state/sessions.ts"
import { Files } from "./files.tsx"
import { History } from "./history.tsx"
import { NetworkLog } from "./network-log.tsx"
import { Preview } from "./preview.tsx"
import { Processes } from "./processes.tsx"
import { SandboxActions } from "./sandbox-actions.tsx"
import { type Sandbox, type SandboxPlace, sandboxesOf } from "./sandbox-facts.ts"
import { SandboxUsage } from "./usage.tsx"

const TerminalTab = lazy(() => import("./terminal/terminal-tab.tsx").then((it) => it.TerminalTab))

const tabs = ["files", "processes", "terminal", "preview", "usage", "network", "history"] as const

/** One sandbox. What it shows is in the address: the tab, and the path of a file. */
export function SandboxView({ session, sandbox }: SandboxPlace) {
  const head = sessions.value.find(({ name }) => name === session)?.head
  // What is recorded in the session may have changed it.
  const when = [session, sandbox, head]
  const { value, problem, load } = useLoaded(
    async () => ({ session, all: await sandboxesOf(session) }),
    when,
  )
  const all = value?.session === session ? value.all : null
  const found = all?.find((one) => one.sandbox === sandbox)
  return (
    <>
      <h1>
        <ShownText text={sandbox} />{" "}
        <small>
          in <SessionLink session={session} />
        </small>
      </h1>
      {problem !== null && <p role="alert">{problem}</p>}
      {all && !found && (
        <p class="empty">
          The server has no such sandbox open. A command or a file in it opens it again.
        </p>
      )}
      {all && found && (
        <>
          <SandboxFacts sandbox={found} />
          <SandboxActions
            session={session}
            sandbox={found}
            others={all.filter((one) => one !== found)}
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
  const { tab: wanted, path = "." } = query as { tab?: string; path?: string }
  const tab = tabs.find((one) => one === wanted) ?? "files"
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
      {tab === "usage" && <SandboxUsage {...place} />}
      {tab === "network" && <NetworkLog {...place} />}
      {tab === "history" && <History {...place} />}
    </>
  )
}
