import type { CallToolResult, ContentBlock } from "@modelcontextprotocol/client"
import { cutText, limits, ToolFailure } from "../../../contract/index.ts"
import type { Artifacts } from "../../../store/index.ts"
import { artifactResult } from "../../../tools/index.ts"

export interface BridgedCallee {
  readonly server: string
  /** The server's own name for it. */
  readonly tool: string
  readonly artifacts: Artifacts
  /** Takes out of a text what may not be in a message. */
  readonly hide: (text: string) => string
}

/** What a server answered, as a result of ours: nothing of it is lost, and files are artifacts. */
export async function bridgedResult(answer: CallToolResult, callee: BridgedCallee) {
  const { server, tool, hide } = callee
  if (answer.isError) throw serverFailure(answer, server, hide)
  const keep = keeper(callee)
  const content: Record<string, unknown>[] = []
  for (const block of answer.content ?? []) content.push(await readBlock(block, keep))
  const { structuredContent } = answer
  return {
    kind: "mcp",
    server,
    tool,
    content,
    ...(structuredContent !== undefined && { structured: structuredContent }),
  }
}

function serverFailure(
  { content, structuredContent }: CallToolResult,
  server: string,
  hide: (text: string) => string,
): ToolFailure {
  const texts = (content ?? []).flatMap((block) => (block.type === "text" ? [block.text] : []))
  const said = texts.join("\n").trim() || JSON.stringify(structuredContent ?? null)
  const what =
    said === "null" ? `The MCP server ${JSON.stringify(server)} failed without a word.` : said
  const message = cutText(hide(what), limits.bridge.errorBytes).text
  return new ToolFailure({ kind: "execution_error", message })
}

type Keep = (base64: string, mimeType: string | undefined, name: string) => Promise<object>

async function readBlock(block: ContentBlock, keep: Keep): Promise<Record<string, unknown>> {
  switch (block.type) {
    case "text":
      return { type: "text", text: block.text }
    case "image":
    case "audio":
      return { type: block.type, ...(await keep(block.data, block.mimeType, block.type)) }
    case "resource_link": {
      const { uri, name, description, mimeType } = block
      return {
        type: block.type,
        uri,
        name,
        ...(description && { description }),
        mime_type: mimeType ?? null,
      }
    }
    case "resource": {
      const { uri, mimeType } = block.resource
      const about = { type: block.type, uri, mime_type: mimeType ?? null }
      if ("text" in block.resource) return { ...about, text: block.resource.text }
      return { ...about, ...(await keep(block.resource.blob, mimeType, lastPart(uri))) }
    }
    default:
      return { ...(block satisfies never as object) }
  }
}

/** Keeps so many files of one answer, under names of ours. */
function keeper({ artifacts, tool }: BridgedCallee): Keep {
  let kept = 0
  return async (base64, mimeType = "application/octet-stream", name) => {
    kept += 1
    if (kept > limits.bridge.media) return { left_out: "There are too many files in one answer." }
    const type = /^[\w.+-]+\/[\w.+-]+$/.test(mimeType) ? mimeType : "application/octet-stream"
    const extension = /\.[A-Za-z0-9]{1,8}$/.test(name) ? "" : `.${type.split(/[/+]/)[1]}`
    const filename = `${tool}-${kept}-${name}${extension}`
      .replaceAll(/[^A-Za-z0-9_.-]/g, "_")
      .slice(-100)
    const content = Buffer.from(base64, "base64")
    const artifact = await artifacts.keep({ filename, mimeType: type, content })
    return { mime_type: type, artifact: artifactResult(artifact) }
  }
}

function lastPart(uri: string): string {
  return (
    uri
      .split(/[?#]/)[0]
      ?.split("/")
      .findLast((part) => part !== "") ?? "file"
  )
}
