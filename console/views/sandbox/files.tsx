import { useSignal } from "@preact/signals"
import { useLocation } from "preact-iso"
import type { RouteAnswer } from "../../../src/api/index.ts"
import { sandboxPath } from "../../navigation/views.ts"
import { failureText } from "../../parts/action.tsx"
import { ShownText } from "../../parts/text/shown-text.tsx"
import { useLoaded } from "../../parts/use-loaded.ts"
import { client, whyNotNow } from "../../state/client.ts"
import { FileView } from "./file-view.tsx"
import { NewFile } from "./new-file.tsx"
import { directoryOf, pathIn, type SandboxPlace, trailOf } from "./sandbox-facts.ts"

type Entry = RouteAnswer<"files.list">["entries"][number]

interface FilesProps extends SandboxPlace {
  /** A directory, or a file. */
  readonly path: string
}

/** The files of a sandbox: a directory, or one file to read and to edit. */
export function Files({ session, sandbox, path }: FilesProps) {
  const { query } = useLocation()
  const isFile = (query as { file?: string }).file === "1"
  const place = { session, sandbox }
  const address = filesPath(place, path, isFile)
  const list = (signal: AbortSignal) =>
    client().request("files.list", { ...place, path }, { signal })
  const { value, problem, load } = useLoaded(
    async (signal) => (isFile ? null : { address, ...(await list(signal)) }),
    [address],
  )
  // The names of one directory are never shown below the path of another.
  const directory = value?.address === address ? value : null
  return (
    <section aria-label="Files">
      <Trail {...place} path={path} />
      {problem !== null && <p role="alert">{problem}</p>}
      {isFile && <FileView key={path} {...place} path={path} />}
      {directory && (
        <>
          <div class="row bar">
            <NewFile {...place} directory={path} />
            <Upload {...place} directory={path} onUploaded={load} />
          </div>
          <Directory {...place} path={path} entries={directory.entries} />
          {directory.truncated && <p class="quiet">There are more; the rest is not listed.</p>}
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
