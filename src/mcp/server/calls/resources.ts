import { readFile } from "node:fs/promises"
import {
  type ListResourcesResult,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  type Resource,
  ResourceNotFoundError,
} from "@modelcontextprotocol/server"
import { apiNameOf } from "../../../contract/index.ts"
import { isTextType } from "../../../node/index.ts"
import type { Artifact } from "../../../store/index.ts"
import { serverLimits } from "../../limits.ts"
import type { McpClient } from "./mcp-client.ts"
import type { RecordedAnswer } from "./recorded-requests.ts"

type Contents = ReadResourceResult["contents"][number]

const prefix = "toolkeep://artifact/"
const answerPrefix = "toolkeep://answer/"

/** The files that a session's tools made, and the latest answers where they are stored. */
export async function listResources({
  session,
  requests,
}: McpClient): Promise<ListResourcesResult> {
  const artifacts = await session.artifacts.list()
  const answers = (await requests?.answers()) ?? []
  return { resources: [...artifacts.map(artifactLink), ...answers.map(answerLink)] }
}

export async function readResource(
  { session, requests }: McpClient,
  uri: string,
): Promise<ReadResourceResult> {
  if (uri.startsWith(answerPrefix)) {
    const recorded = await requests?.read(uri.slice(answerPrefix.length))
    if (!recorded?.envelope) throw new ResourceNotFoundError(uri.slice(0, 200))
    const text = JSON.stringify(recorded.envelope)
    return { contents: [{ uri, mimeType: "application/json", text }] }
  }
  const id = uri.startsWith(prefix) ? uri.slice(prefix.length) : ""
  const artifact = await session.artifacts.find(id)
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

/** So that a client whose connection was lost finds what it missed. */
function answerLink({ call, envelope, at }: RecordedAnswer): Resource {
  const tool = apiNameOf(envelope.tool).slice(0, 64)
  return {
    uri: `${answerPrefix}${call}`,
    name: `${tool}-${call}.json`,
    description: `The answer of ${tool} at ${new Date(at).toISOString()}`,
    mimeType: "application/json",
  }
}

export async function readArtifact({ id, mimeType, path }: Artifact): Promise<Contents> {
  const uri = `${prefix}${id}`
  if (isTextType(mimeType)) return { uri, mimeType, text: await readFile(path, "utf8") }
  return { uri, mimeType, blob: await readFile(path, "base64") }
}
