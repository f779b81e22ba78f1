import { readFile } from "node:fs/promises"
import { type Envelope, isObject, type ResultImage } from "../../contract/index.ts"
import { imageSize, mimeTypeOfBytes } from "../../node/index.ts"
import type { Artifact, Artifacts } from "../../store/index.ts"
import { answerLimits } from "./limits.ts"

/** A file that the result of a call names; with `media` where a model can look at it or listen to it. */
export interface AnswerFile {
  readonly artifact: Artifact
  readonly media: AnswerMedia | null
}

interface AnswerMedia extends ResultImage {
  readonly type: "image" | "audio"
}

/** The files that a result names, in their order: one mechanism for MCP clients and for every provider. */
export async function answerFiles(
  envelope: Envelope,
  artifacts: Artifacts,
): Promise<readonly AnswerFile[]> {
  const ids = envelope.ok ? artifactIds(envelope.result) : []
  const files: AnswerFile[] = []
  let room: number = answerLimits.mediaBytesMost
  for (const id of ids.slice(0, answerLimits.artifacts)) {
    const artifact = await artifacts.find(id)
    if (!artifact) continue
    const media = artifact.size <= room ? await readMedia(artifact) : null
    if (media) room -= artifact.size
    files.push({ artifact, media })
  }
  return files
}

/** The images among them. */
export async function answerImages(
  envelope: Envelope,
  artifacts: Artifacts,
): Promise<readonly ResultImage[]> {
  const files = await answerFiles(envelope, artifacts)
  return files.flatMap(({ media }) => {
    if (media?.type !== "image") return []
    const { mimeType, data } = media
    return [{ mimeType, data }]
  })
}

/** Results name their artifacts as `artifact: {id, ...}`, alone or in a list. */
function artifactIds(value: unknown, depth = 0): string[] {
  if (typeof value !== "object" || value === null || depth > 3) return []
  const ids: string[] = []
  for (const [key, one] of Object.entries(value)) {
    if (typeof one !== "object" || one === null) continue
    if (key === "artifact" && isObject(one) && typeof one.id === "string") ids.push(one.id)
    else ids.push(...artifactIds(one, depth + 1))
  }
  return ids
}

const imageType = /^image\/(png|jpeg|jpg|gif|webp)$/
const audioType = /^audio\//

/**
 * A model service refuses the whole conversation for an image that it can't read, now and in each later request. So the
 * bytes decide what an image is, and one that is too large is only named.
 */
async function readMedia({ mimeType, size, path }: Artifact): Promise<AnswerMedia | null> {
  const isImage = imageType.test(mimeType)
  if (!(isImage || audioType.test(mimeType)) || size > answerLimits.mediaBytes) return null
  const bytes = await readFile(path)
  const data = bytes.toString("base64")
  if (!isImage) return { type: "audio", mimeType, data }
  const found = mimeTypeOfBytes(bytes) ?? ""
  const { width = 0, height = 0 } = imageSize(bytes) ?? {}
  const isReadable = imageType.test(found) && Math.min(width, height) > 0
  return isReadable && Math.max(width, height) <= answerLimits.imagePixels
    ? { type: "image", mimeType: found, data }
    : null
}
