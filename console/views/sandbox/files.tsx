import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { useLocation } from "preact-iso"
import type { RouteAnswer } from "../../../src/api/index.ts"
import { sandboxPath } from "../../navigation/views.ts"
import { failureText } from "../../parts/action.tsx"
import { ShownText } from "../../parts/shown-text.tsx"
import { client, whyNotNow } from "../../state/client.ts"
import { FileView } from "./file-view.tsx"
import { NewFile } from "./new-file.tsx"
import { directoryOf, pathIn, type SandboxPlace, trailOf } from "./sandbox-facts.ts"

type Entry = RouteAnswer<"files.list">["entries"][number]

interface FilesProps extends SandboxPlace {
  /** A directory, or a file. */
  readonly path: string
}

type Shown =
  | { readonly kind: "loading" }
  | { readonly kind: "directory"; readonly entries: readonly Entry[]; readonly isCut: boolean }
  | { readonly kind: "file" }
  | { readonly kind: "failed"; readonly why: string }

/** The files of a sandbox: a directory, or one file to read and to edit. */
export function Files({ session, sandbox, path }: FilesProps) {
  const { query } = useLocation()
  const isFile = (query as { file?: string }).file === "1"
  const shown = useSignal<Shown>({ kind: "loading" })
  const load = async () => {
    try {
      const { entries, truncated } = await client().request("files.list", {
        session,
        sandbox,
        path,
      })
      shown.value = { kind: "directory", entries, isCut: truncated }
    } catch (error) {
      shown.value = { kind: "failed", why: failureText(error) }
    }
  }
  useEffect(() => {
    if (isFile) shown.value = { kind: "file" }
    else void load()
  }, [session, sandbox, path, isFile])
  const place = { session, sandbox }
  return (
    <section aria-label="Files">
      <Trail {...place} path={path} />
      {shown.value.kind === "failed" && <p role="alert">{shown.value.why}</p>}
      {shown.value.kind === "file" && <FileView key={path} {...place} path={path} />}
      {shown.value.kind === "directory" && (
        <>
          <div class="row bar">
            <NewFile {...place} directory={path} />
            <Upload {...place} directory={path} onUploaded={load} />
          </div>
          <Directory {...place} path={path} entries={shown.value.entries} />
          {shown.value.isCut && <p class="quiet">There are more; the rest is not listed.</p>}
        </>
      )}
    </section>
  )
}

export function filesPath(
  { session, sandbox }: SandboxPlace,
  path: string,
  isFile: boolean,
): string {
  const query = new URLSearchParams({ tab: "files", path, ...(isFile && { file: "1" }) })
  return `${sandboxPath(session, sandbox)}?${query}`
}

function Trail({ path, ...place }: FilesProps) {
  return (
    <nav class="trail" aria-label="Path">
      {trailOf(path).map((step) =>
        step.path === path ? (
          <strong key={step.path}>
            <ShownText text={step.name} />
          </strong>
        ) : (
          <a key={step.path} href={filesPath(place, step.path, false)}>
            <ShownText text={step.name} />
          </a>
        ),
      )}
      {!path.startsWith("/") && (
        <a class="quiet" href={filesPath(place, "/", false)}>
          root
        </a>
      )}
    </nav>
  )
}

interface DirectoryProps extends FilesProps {
  readonly entries: readonly Entry[]
}

function Directory({ entries, path, ...place }: DirectoryProps) {
  const directories = entries.filter(({ type }) => type === "directory")
  const others = entries.filter(({ type }) => type !== "directory")
  return (
    <ul class="files">
      {path !== "." && path !== "/" && (
        <li>
          <a href={filesPath(place, directoryOf(path), false)} aria-label="The directory above">
            ..
          </a>
        </li>
      )}
      {[...directories, ...others].map(({ name, type }) => (
        <li key={name}>
          <a href={filesPath(place, pathIn(path, name), type !== "directory")}>
            <ShownText text={name} />
            {type === "directory" && "/"}
          </a>
          {type !== "file" && type !== "directory" && <span class="quiet">{type}</span>}
        </li>
      ))}
      {entries.length === 0 && <li class="quiet">This directory is empty.</li>}
    </ul>
  )
}

interface UploadProps extends SandboxPlace {
  readonly directory: string
  readonly onUploaded: () => Promise<void>
}

function Upload({ directory, onUploaded, ...place }: UploadProps) {
  const said = useSignal<string | null>(null)
  const upload = async (files: readonly File[]) => {
    try {
      for (const file of files) {
        said.value = `Sending ${file.name}`
        const path = pathIn(directory, file.name)
        await client().request("files.write", { ...place, path }, { body: file })
      }
      said.value = `${files.length === 1 ? files[0]?.name : `${files.length} files`} sent.`
      await onUploaded()
    } catch (error) {
      said.value = failureText(error)
    }
  }
  return (
    <label class="row">
      Upload
      <input
        type="file"
        multiple
        disabled={whyNotNow() !== undefined}
        title={whyNotNow()}
        onChange={({ currentTarget }) => void upload([...(currentTarget.files ?? [])])}
      />
      <span role="status">{said.value}</span>
    </label>
  )
}
