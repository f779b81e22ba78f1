import { readFile } from "node:fs/promises"
import {
  type ListResourcesResult,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  type Resource,
  ResourceNotFoundError,
} from "@modelcontextprotocol/server"
import { isTextType } from "../../../node/index.ts"
import type { Artifact, Artifacts } from "../../../store/index.ts"
import { serverLimits } from "../../limits.ts"

type Contents = ReadResourceResult["contents"][number]

const prefix = "toolkeep://artifact/"

/** The files that a session's tools made, as resources. */
export async function listArtifacts(artifacts: Artifacts): Promise<ListResourcesResult> {
  return { resources: (await artifacts.list()).map(artifactLink) }
}

export async function readResource(artifacts: Artifacts, uri: string): Promise<ReadResourceResult> {
  const id = uri.startsWith(prefix) ? uri.slice(prefix.length) : ""
  const artifact = await artifacts.find(id)
  if (!artifact) throw new ResourceNotFoundError(uri.slice(0, 200))
  if (artifact.size > serverLimits.resourceBytes) {
    const message = `${artifact.filename} has ${artifact.size} bytes, more than the ${serverLimits.resourceBytes} that can be sent. The person has it as a file.`
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, message)
  }
  return { contents: [await readArtifact(artifact)] }
}

export function artifactLink({ id, filename, mimeType, size }: Artifact): Resource {
  return {
    uri: `${prefix}${id}`,
    name: filename,
    description: `A file created by a tool: ${filename}`,
    mimeType,
    size,
  }
}

export async function readArtifact({ id, mimeType, path }: Artifact): Promise<Contents> {
  const uri = `${prefix}${id}`
  if (isTextType(mimeType)) return { uri, mimeType, text: await readFile(path, "utf8") }
  return { uri, mimeType, blob: await readFile(path, "base64") }
}
