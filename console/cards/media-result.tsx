import { useSignal } from "@preact/signals"
import type { ComponentChildren } from "preact"
import { useEffect, useRef } from "preact/hooks"
import type { ShownArtifact } from "../model/result-view.ts"
import { Action } from "../parts/action.tsx"
import { saveFile } from "../parts/save-file.ts"
import { ShownText } from "../parts/text/shown-text.tsx"
import { client } from "../state/client.ts"

interface ArtifactProps {
  readonly about: string
  readonly artifact: ShownArtifact
  readonly session: string
}

/** Larger pictures are only downloaded. */
const drawnBytes = 20 * 1024 * 1024

/** A picture that a tool made, drawn by its pixels: what else is in the file has no effect here. */
export function Picture(props: ArtifactProps) {
  const { about, artifact, session } = props
  const canvas = useRef<HTMLCanvasElement>(null)
  const problem = useSignal<string | null>(null)
  const isLarge = artifact.bytes > drawnBytes
  useEffect(() => {
    if (isLarge) return
    const ended = new AbortController()
    drawPicture(session, artifact, canvas, ended.signal).catch((error: unknown) => {
      if (!ended.signal.aborted) problem.value = String(error)
    })
    return () => ended.abort()
  }, [session, artifact.id])
  return (
    <figure>
      {!isLarge && problem.value === null && (
        <canvas ref={canvas} class="picture" role="img" aria-label={about} />
      )}
      {problem.value !== null && <p class="problem">The picture can't be shown.</p>}
      <figcaption>
        <ArtifactLine {...props} />
      </figcaption>
    </figure>
  )
}

/** At most this wide and high; a picture that claims more is drawn smaller. */
const mostPixels = 1_600

async function drawPicture(
  session: string,
  artifact: ShownArtifact,
  target: { readonly current: HTMLCanvasElement | null },
  signal: AbortSignal,
): Promise<void> {
  const blob = await readArtifact(session, artifact, signal)
  const address = URL.createObjectURL(blob)
  try {
    const image = new Image()
    image.src = address
    await image.decode()
    const { current } = target
    if (signal.aborted || !current) return
    const width = image.naturalWidth || 640
    const height = image.naturalHeight || 480
    const scale = Math.min(1, mostPixels / width, mostPixels / height)
    current.width = Math.max(1, Math.round(width * scale))
    current.height = Math.max(1, Math.round(height * scale))
    current.getContext("2d")?.drawImage(image, 0, 0, current.width, current.height)
  } finally {
    URL.revokeObjectURL(address)
  }
}

async function readArtifact(
  session: string,
  { id, mediaType }: ShownArtifact,
  signal?: AbortSignal,
): Promise<Blob> {
  const response = await client().download("artifacts.read", { session, artifact: id }, { signal })
  return new Blob([await response.arrayBuffer()], { type: mediaType })
}

/** What the server shows in a frame. */
const framed = new Set(["text/html", "image/svg+xml"])

/** A file that a tool made for a person. A page is shown in a frame in which nothing runs. */
export function ArtifactLine(props: ArtifactProps) {
  const { artifact, session } = props
  const { filename, mediaType } = artifact
  const address = useSignal<string | null>(null)
  const show = async () => {
    const { url } = await client().request("artifacts.show", { session, artifact: artifact.id })
    address.value = new URL(url, location.origin).href
  }
  if (!framed.has(mediaType)) return <ArtifactFacts {...props} />
  return (
    <>
      <ArtifactFacts {...props}>
        <Action label={`Show ${filename}`} onAct={show}>
          Show
        </Action>
      </ArtifactFacts>
      {address.value !== null && (
        <iframe
          class="preview"
          title={filename}
          src={address.value}
          sandbox=""
          referrerpolicy="no-referrer"
        />
      )}
    </>
  )
}

interface ArtifactFactsProps extends ArtifactProps {
  readonly children?: ComponentChildren
}

function ArtifactFacts({ about, artifact, session, children }: ArtifactFactsProps) {
  const { filename, mediaType, bytes } = artifact
  return (
    <p class="artifact">
      {about !== filename && <ShownText text={`${about}: `} />}
      <ShownText text={filename} />{" "}
      <span class="quiet">
        <ShownText text={mediaType} />, {bytes} bytes
      </span>{" "}
      <Action
        label={`Download ${filename}`}
        onAct={async () => saveFile(await readArtifact(session, artifact), filename)}
      >
        Download
      </Action>
      {children}
    </p>
  )
}
