import { useSignal } from "@preact/signals"
import { useEffect, useRef } from "preact/hooks"
import type { ShownArtifact } from "../model/result-view.ts"
import { Action } from "../parts/action.tsx"
import { ShownText } from "../parts/shown-text.tsx"
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

/** A file that a tool made for a person. */
export function ArtifactLine({ about, artifact, session }: ArtifactProps) {
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
        onAct={async () => saveBlob(await readArtifact(session, artifact), filename)}
      >
        Download
      </Action>
    </p>
  )
}

function saveBlob(blob: Blob, filename: string): void {
  // As bytes of no type: a browser must not open it as a page of this origin.
  const address = URL.createObjectURL(new Blob([blob], { type: "application/octet-stream" }))
  const link = document.createElement("a")
  link.href = address
  link.download = filename
  link.click()
  setTimeout(() => URL.revokeObjectURL(address), 60_000)
}
