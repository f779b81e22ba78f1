import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { useLocation } from "preact-iso"
import { receiptAddress } from "../cards/call.tsx"
import { type Changes, type FileChanged, FileDiff } from "../cards/changed-file.tsx"
import { changesPath } from "../navigation/views.ts"
import { failureText } from "../parts/action.tsx"
import { Fold } from "../parts/fold.tsx"
import { ShownText } from "../parts/text/shown-text.tsx"
import { client } from "../state/client.ts"
import { sessions } from "../state/sessions.ts"
import { SessionTabs } from "./session-tabs.tsx"

type Loaded =
  | { readonly kind: "loading" }
  | { readonly kind: "there"; readonly changes: Changes }
  | { readonly kind: "failed"; readonly why: string }

/** So many files are open from the start. */
const openFiles = 10

/** What the calls of a session, of one turn or one call did to files. */
export function ChangesView({ session }: { readonly session: string }) {
  const { query, route } = useLocation()
  const { call } = query as { call?: string }
  const turn = Number(query.turn) || undefined
  const loaded = useSignal<Loaded>({ kind: "loading" })
  const head = sessions.value.find(({ name }) => name === session)?.head ?? 0
  useEffect(() => {
    loaded.value = { kind: "loading" }
  }, [session, call, turn])
  useEffect(() => {
    const ended = new AbortController()
    const load = async () => {
      const input = {
        session,
        ...(call !== undefined ? { call } : turn !== undefined && { turn }),
      }
      loaded.value = {
        kind: "there",
        changes: await client().request("changes.list", input, ended),
      }
    }
    load().catch((error: unknown) => {
      if (!ended.signal.aborted) loaded.value = { kind: "failed", why: failureText(error) }
    })
    return () => ended.abort()
    // Again when something was recorded.
  }, [session, call, turn, head])
  const shown = loaded.value
  return (
    <div class="changes">
      <h1>{session}</h1>
      <SessionTabs session={session} current="changes" />
      {shown.kind === "loading" && <p aria-busy="true" class="loading" />}
      {shown.kind === "failed" && <p role="alert">{shown.why}</p>}
      {shown.kind === "there" && (
        <>
          <label>
            Changes of{" "}
            <select
              value={call !== undefined ? "call" : String(turn ?? "")}
              onChange={(event) => {
                const chosen = Number(event.currentTarget.value)
                route(changesPath(session, chosen > 0 ? { turn: chosen } : {}))
              }}
            >
              <option value="">the whole session</option>
              {call !== undefined && <option value="call">one call</option>}
              {shown.changes.turns.map(({ turn: number, text }) => (
                <option key={number} value={String(number)}>
                  <ShownText text={text} />
                </option>
              ))}
            </select>
          </label>
          <Sandboxes changes={shown.changes} />
        </>
      )}
    </div>
  )
}

function Sandboxes({ changes: { sandboxes, calls } }: { readonly changes: Changes }) {
  if (calls === 0) return <p class="empty">No call here was observed.</p>
  const isFew = sandboxes.reduce((sum, { files }) => sum + files.length, 0) <= openFiles
  return (
    <>
      {sandboxes.map(({ sandbox, below, count, files, notes }) => (
        <section key={sandbox} aria-label={`Sandbox ${sandbox}`}>
          <h2>{sandbox}</h2>
          <p class="quiet">
            {below === null ? (
              "Nobody could look at its files."
            ) : (
              <>
                {count === 0 ? "Nothing has changed" : `${count} ${count === 1 ? "path" : "paths"}`}{" "}
                below <ShownText text={below} />
                {count > files.length && `, the first ${files.length} of them`}
              </>
            )}
          </p>
          {files.map((file) => (
            <File key={file.path} file={file} isOpen={isFew} />
          ))}
          {notes.map((note) => (
            <p key={note} class="quiet">
              <ShownText text={note} />
            </p>
          ))}
        </section>
      ))}
    </>
  )
}

interface FileProps {
  readonly file: FileChanged
  readonly isOpen: boolean
}

const words = { created: "made", changed: "changed", removed: "removed" }

function File({ file, isOpen }: FileProps) {
  const { path, change, calls, type } = file
  const name = type === "directory" ? `${path}/` : path
  const summary = (
    <>
      <code>
        <ShownText text={name} />
      </code>{" "}
      <span class="quiet">{words[change]}</span>
    </>
  )
  return (
    <Fold look="card" summary={summary} isOpen={isOpen && type === "file"}>
      {() => (
        <>
          {type === "file" && <FileDiff file={file} />}
          <p class="quiet">
            By{" "}
            {calls.map(({ session, call }) => (
              <a key={call} class="call-link" href={receiptAddress(session, call)}>
                {call}
              </a>
            ))}
          </p>
        </>
      )}
    </Fold>
  )
}
