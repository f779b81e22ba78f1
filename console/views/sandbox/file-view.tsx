import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { lazy } from "preact-iso"
import { Action, failureText } from "../../parts/action.tsx"
import { saveFile } from "../../parts/save-file.ts"
import { client } from "../../state/client.ts"
import { type SandboxPlace, textOf } from "./sandbox-facts.ts"

const CodeEditor = lazy(() => import("../../editor/code-editor.tsx").then((it) => it.CodeEditor))

/** Larger files are only downloaded. */
const shownBytes = 1024 * 1024

type Content =
  | { readonly kind: "loading" }
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "not-shown"; readonly why: string }

interface FileViewProps extends SandboxPlace {
  readonly path: string
}

export function FileView({ path, ...place }: FileViewProps) {
  const content = useSignal<Content>({ kind: "loading" })
  const edited = useSignal<string | null>(null)
  const said = useSignal("")
  useEffect(() => {
    read(place, path).then(
      (it) => {
        content.value = it
      },
      (error: unknown) => {
        content.value = { kind: "not-shown", why: failureText(error) }
      },
    )
  }, [])
  const save = async () => {
    const text = edited.value
    if (text === null) return
    const { bytes } = await client().request(
      "files.write",
      { ...place, path },
      { body: new Blob([text]) },
    )
    if (edited.value === text) edited.value = null
    said.value = `Saved, ${bytes} bytes.`
  }
  const shown = content.value
  return (
    <>
      <div class="row bar">
        {shown.kind === "text" && (
          <Action look="main" onAct={save}>
            Save
          </Action>
        )}
        <Action onAct={() => download(place, path)}>Download</Action>
        <span role="status" class="quiet">
          {edited.value === null ? said.value : "Not saved yet"}
        </span>
      </div>
      {shown.kind === "loading" && <p aria-busy="true">Loading</p>}
      {shown.kind === "not-shown" && <p class="empty">{shown.why}</p>}
      {shown.kind === "text" && (
        <CodeEditor
          name={path}
          text={shown.text}
          onChange={(text) => {
            edited.value = text
          }}
        />
      )}
    </>
  )
}

async function read(place: SandboxPlace, path: string): Promise<Content> {
  const limit = shownBytes + 1
  const response = await client().download("files.read", { ...place, path, limit })
  const bytes = new Uint8Array(await response.arrayBuffer())
  if (bytes.length > shownBytes) {
    return { kind: "not-shown", why: "The file is larger than 1 MiB. Download it to read it." }
  }
  const text = textOf(bytes)
  return text === null
    ? { kind: "not-shown", why: "The file is not text. Download it to use it." }
    : { kind: "text", text }
}

/** With the header that a plain link can't send. */
async function download(place: SandboxPlace, path: string): Promise<void> {
  const response = await client().download("files.read", { ...place, path })
  saveFile(await response.blob(), path.slice(path.lastIndexOf("/") + 1))
}
