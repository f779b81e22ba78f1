import type { CallToolResult, ContentBlock } from "@modelcontextprotocol/server"
import { cutText, type Envelope, renderEnvelope } from "../../../contract/index.ts"
import { isTextType } from "../../../node/index.ts"
import { type AnswerFile, answerFiles } from "../../../session/index.ts"
import { serverLimits } from "../../limits.ts"
import type { McpClient } from "./mcp-client.ts"
import { artifactLink, readArtifact } from "./resources.ts"

/** An envelope as the result of `tools/call`, in the form that the client is to get, with the files that were made. */
export async function callResult(
  envelope: Envelope,
  { session, results }: Pick<McpClient, "session" | "results">,
): Promise<CallToolResult> {
  const answer = session.forModel(envelope)
  const made = await answerFiles(envelope, session.artifacts)
  const files = await Promise.all(made.map(showFile))
  const isError = !answer.ok
  if (results === "structured") {
    // Clients that know no structured content read the same as text.
    const content: ContentBlock[] = [{ type: "text", text: JSON.stringify(answer) }]
    return { content: [...content, ...files], structuredContent: { ...answer }, isError }
  }
  const content = [
    ...renderEnvelope("mcp", answer, { show: session.show }).content.map(fitText),
    ...files,
  ]
  return results === "text"
    ? { content, isError }
    : { content, structuredContent: { ...answer }, isError }
}

/** Of a size that clients show whole. The tools' own limits keep below it, but for lists that were asked to be long. */
function fitText(block: ContentBlock): ContentBlock {
  if (block.type !== "text") return block
  return { ...block, text: cutText(block.text, serverLimits.shownBytes).text }
}

async function showFile({ artifact, media }: AnswerFile): Promise<ContentBlock> {
  if (media) return media
  if (isTextType(artifact.mimeType) && artifact.size <= serverLimits.embeddedBytes) {
    return { type: "resource", resource: await readArtifact(artifact) }
  }
  return { type: "resource_link", ...artifactLink(artifact) }
}
