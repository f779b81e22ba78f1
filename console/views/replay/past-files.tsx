import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import type { RouteAnswer } from "../../../src/api/index.ts"
import { languageOf } from "../../model/language-of.ts"
import { failureText } from "../../parts/action.tsx"
import { Code } from "../../parts/text/code.tsx"
import { ShownText } from "../../parts/text/shown-text.tsx"
import { useLoaded } from "../../parts/use-loaded.ts"
import { client } from "../../state/client.ts"
import { directoryOf, pathIn, textOf } from "../sandbox/sandbox-facts.ts"

type Checkpoint = RouteAnswer<"checkpoints.show">

interface PastFilesProps {
  readonly session: string
  readonly entry: number
}

/** The files of the session's sandboxes as they were recorded last, for those who open it. */
export function PastFiles(props: PastFilesProps) {
  const isOpen = useSignal(false)
  return (
    <details
      class="past-files"
      onToggle={({ currentTarget }) => (isOpen.value = currentTarget.open)}
    >
      <summary>Files at this entry</summary>
      {isOpen.value && <Recorded {...props} />}
    </details>
  )
}

/** Whoever moves the slider does not want the files of every entry on the way. */
const restMs = 250

function Recorded({ session, entry }: PastFilesProps) {
  const found = useSignal<Checkpoint | string | null>(null)
  useEffect(() => {
    const ended = new AbortController()
    const look = () =>
      client()
        .request("checkpoints.show", { session, entry }, ended)
        .then(
          (shown) => {
            found.value = shown
          },
          (error: unknown) => {
            if (!ended.signal.aborted) found.value = failureText(error)
          },
        )
    const timer = setTimeout(() => void look(), found.peek() === null ? 0 : restMs)
    return () => {
      clearTimeout(timer)
      ended.abort()
    }
  }, [session, entry])
  const shown = found.value
  if (shown === null) return <p aria-busy="true">Loading</p>
  if (typeof shown === "string") return <p role="alert">{shown}</p>
  const { recorded_at: recordedAt, why_not: whyNot, sandboxes } = shown
  if (recordedAt === null || whyNot !== null) {
    return (
      <p class="empty">
        <ShownText text={whyNot ?? ""} />
      </p>
    )
  }
  return (
    <>
      <p class="quiet">
        As recorded at entry {recordedAt}
        {recordedAt < entry && "; what changed after it is not in them"}.
      </p>
      <Browser key={recordedAt} session={session} entry={recordedAt} sandboxes={sandboxes} />
    </>
  )
}

interface BrowserProps extends PastFilesProps {
  readonly sandboxes: readonly string[]
}

type Content =
  | { readonly kind: "directory"; readonly entries: RouteAnswer<"checkpoints.list">["entries"] }
  | { readonly kind: "file"; readonly text: string }
  | { readonly kind: "not-shown"; readonly why: string }

/** A larger file is not shown here. */
const shownBytes = 1024 * 1024

function Browser({ session, entry, sandboxes }: BrowserProps) {
  const sandbox = useSignal(sandboxes[0] ?? "")
  const place = useSignal({ path: ".", isFile: false })
  const { path, isFile } = place.value
  const go = (to: string, toFile = false) => {
    place.value = { path: to, isFile: toFile }
  }
  const given = { session, entry, sandbox: sandbox.value, path }
  const at = JSON.stringify([sandbox.value, path, isFile])
  const { value, problem } = useLoaded(
    async (signal) => ({
      at,
      content: await (isFile ? readFile(given, signal) : readDirectory(given, signal)),
    }),
    [at],
  )
  if (sandboxes.length === 0) return <p class="empty">The session had no sandbox then.</p>
  const shown = value?.at === at ? value.content : null
  return (
    <div class="past-browser">
      <div class="row">
        {sandboxes.length > 1 && (
          <select
            aria-label="Sandbox"
            value={sandbox.value}
            onChange={({ currentTarget }) => {
              sandbox.value = currentTarget.value
              go(".")
            }}
          >
            {sandboxes.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        )}
        <code>
          <ShownText text={`${sandbox.value}: ${path}`} />
        </code>
        {path !== "." && path !== "/" && (
          <button type="button" onClick={() => go(directoryOf(path))}>
            Up
          </button>
        )}
      </div>
      {problem !== null && <p role="alert">{problem}</p>}
      {shown?.kind === "directory" && (
        <ul class="files">
          {shown.entries.map(({ name, type }) => (
            <li key={name}>
              <button
                type="button"
                class="quiet-button"
                disabled={type !== "directory" && type !== "file"}
                onClick={() => go(pathIn(path, name), type === "file")}
              >
                <ShownText text={name} />
                {type === "directory" && "/"}
              </button>
            </li>
          ))}
          {shown.entries.length === 0 && <li class="quiet">This directory is empty.</li>}
        </ul>
      )}
      {shown?.kind === "file" && (
        <Code text={shown.text} language={languageOf(path)} startLine={1} />
      )}
      {shown?.kind === "not-shown" && <p class="empty">{shown.why}</p>}
    </div>
  )
}

interface PastPlace extends PastFilesProps {
  readonly sandbox: string
  readonly path: string
}

async function readDirectory(place: PastPlace, signal: AbortSignal): Promise<Content> {
  const { entries } = await client().request("checkpoints.list", place, { signal })
  return { kind: "directory", entries }
}

async function readFile(place: PastPlace, signal: AbortSignal): Promise<Content> {
  const given = { ...place, limit: shownBytes + 1 }
  const response = await client().download("checkpoints.read", given, { signal })
  const bytes = new Uint8Array(await response.arrayBuffer())
  if (bytes.length > shownBytes) return { kind: "not-shown", why: "The file is larger than 1 MiB." }
  const text = textOf(bytes)
  return text === null
    ? { kind: "not-shown", why: "The file is not text." }
    : { kind: "file", text }
}
