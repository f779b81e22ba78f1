import { readFile } from "node:fs/promises"
import type { CallToolResult, ContentBlock } from "@modelcontextprotocol/server"
import { type Envelope, isObject, renderEnvelope } from "../../../contract/index.ts"
import { isTextType } from "../../../node/index.ts"
import type { Session } from "../../../session/index.ts"
import type { Artifact } from "../../../store/index.ts"
import { serverLimits } from "../../limits.ts"
import { artifactLink, readArtifact } from "./artifact-resources.ts"

/** An envelope as the result of `tools/call`: itself, its text for people, and the files that were made. */
export async function callResult(envelope: Envelope, session: Session): Promise<CallToolResult> {
  const { content, structuredContent, isError } = renderEnvelope("mcp", envelope, session.show)
  const ids = envelope.ok ? artifactIds(envelope.result) : []
  const files = ids.length > 0 ? await showArtifacts(ids, session) : []
  return {
    content: [...content, ...files],
    structuredContent: { ...structuredContent },
    isError,
  }
}

async function showArtifacts(all: readonly string[], session: Session): Promise<ContentBlock[]> {
  const ids = all.slice(0, serverLimits.artifacts)
  const found = await Promise.all(ids.map((id) => session.artifacts.find(id)))
  return Promise.all(found.filter((one) => one !== null).map(showArtifact))
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

/** Model services refuse a conversation with an image of another type. */
const imageType = /^image\/(png|jpeg|gif|webp)$/
const audioType = /^audio\//

async function showArtifact(artifact: Artifact): Promise<ContentBlock> {
  const { mimeType, size, path } = artifact
  const kind = imageType.test(mimeType) ? "image" : audioType.test(mimeType) ? "audio" : null
  if (kind !== null && size <= serverLimits.mediaBytes) {
    return { type: kind, data: await readFile(path, "base64"), mimeType }
  }
  if (isTextType(mimeType) && size <= serverLimits.embeddedBytes) {
    return { type: "resource", resource: await readArtifact(artifact) }
  }
  return { type: "resource_link", ...artifactLink(artifact) }
}
