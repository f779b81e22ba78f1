import type { CallToolResult, ContentBlock } from "@modelcontextprotocol/client"
import {
  cutText,
  type FailureDetails,
  isFailureKind,
  isObject,
  parseJson,
  readReturned,
  showLines,
  ToolFailure,
} from "../../../contract/index.ts"
import { errorText } from "../../../kit/index.ts"
import type { Artifacts } from "../../../store/index.ts"
import { artifactResult, showArtifact } from "../../../tools/index.ts"
import { bridgeLimits } from "../../limits.ts"

export interface Callee {
  readonly server: string
  /** The server's own name for it. */
  readonly tool: string
  readonly artifacts: Artifacts
  /** Removes secrets from a text. */
  readonly hide: (text: string) => string
  /** Adds a warning to the envelope. */
  readonly warn: (message: string) => void
}

/** A server's answer as a tool's result: nothing is lost, and files become artifacts. */
export async function bridgedResult(answer: CallToolResult, callee: Callee) {
  const { server, tool, hide, warn } = callee
  const said = ownEnvelope(answer)
  if (said && !said.ok) throw new ToolFailure(hiding(said.failure, hide))
  if (answer.isError) throw serverFailure(answer, server, hide)
  const store = createStore(callee)
  const content: Record<string, unknown>[] = []
  for (const block of answer.content ?? []) content.push(await readBlock(block, store))
  const { structuredContent } = answer
  for (const warning of said?.warnings ?? []) warn(hide(warning))
  return {
    kind: "mcp",
    server,
    tool,
    content,
    ...(structuredContent !== undefined && {
      structured: said ? said.result : structuredContent,
    }),
  }
}

/**
 * The envelope that a server answers with whose tools have envelopes of their own, as structured content or as its only
 * text. Only a well-formed one: any server's data may have an `ok`.
 */
function ownEnvelope({ structuredContent, content = [] }: CallToolResult) {
  const [only, ...others] = content
  const text = only?.type === "text" && others.length === 0 ? only.text : undefined
  const value: unknown = structuredContent ?? (text?.includes('"ok"') ? parseJson(text) : undefined)
  if (!isObject(value)) return null
  const isSuccess = value.ok === true && Object.hasOwn(value, "result")
  const isFailure =
    value.ok === false && isFailureKind(value.kind) && typeof value.message === "string"
  return isSuccess || isFailure ? readReturned(value) : null
}

function hiding(details: FailureDetails, hide: (text: string) => string): FailureDetails {
  const clean = (text: string) => cutText(hide(text), bridgeLimits.errorBytes).text
  const { message, field, expected } = details
  return {
    ...details,
    message: clean(message),
    field: field && clean(field),
    expected: expected && clean(expected),
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
    said === "null" ? `The MCP server ${JSON.stringify(server)} failed without a message.` : said
  const message = cutText(hide(what), bridgeLimits.errorBytes).text
  return new ToolFailure({ kind: "execution_error", message })
}

type StoreFile = (base64: string, mimeType: string | undefined, name: string) => Promise<object>

async function readBlock(block: ContentBlock, store: StoreFile): Promise<Record<string, unknown>> {
  switch (block.type) {
    case "text":
      return { type: "text", text: block.text }
    case "image":
    case "audio":
      return { type: block.type, ...(await store(block.data, block.mimeType, block.type)) }
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
      return { ...about, ...(await store(block.resource.blob, mimeType, lastPart(uri))) }
    }
    default:
      return { ...(block satisfies never as object) }
  }
}

/** Stores a limited number of files of one answer, under names of ours. */
function createStore({ artifacts, tool }: Callee): StoreFile {
  let count = 0
  return async (base64, mimeType = "application/octet-stream", name) => {
    count += 1
    if (count > bridgeLimits.media) return { left_out: "There are too many files in one answer." }
    const type = /^[\w.+-]+\/[\w.+-]+$/.test(mimeType) ? mimeType : "application/octet-stream"
    const extension = /\.[A-Za-z0-9]{1,8}$/.test(name) ? "" : `.${type.split(/[/+]/)[1]}`
    const filename = `${tool}-${count}-${name}${extension}`
      .replaceAll(/[^A-Za-z0-9_.-]/g, "_")
      .slice(-100)
    const content = Buffer.from(base64, "base64")
    const artifact = await artifacts.keep({ filename, mimeType: type, content })
    return { mime_type: type, artifact: artifactResult(artifact) }
  }
}

function lastPart(uri: string): string {
  const [path = ""] = uri.split(/[?#]/)
  return path.split("/").findLast((part) => part !== "") ?? "file"
}

/** JSON-RPC's code for invalid arguments. */
const invalidParams = -32_602

interface FailedCall extends Pick<Callee, "server" | "hide"> {
  /** Why the server ended, if it did. */
  readonly why: string | null
  /** The login that it asks for, if it does. */
  readonly login: string | null
  readonly signal: AbortSignal
}

/** Why a call had no answer. */
export function callFailure(error: unknown, failed: FailedCall): unknown {
  const { server, why, login, signal, hide } = failed
  if (signal.aborted) return signal.reason
  const named = `The MCP server ${JSON.stringify(server)}`
  if (login !== null) {
    const message = `${named} refused the call: ${login}`
    return new ToolFailure({ kind: "unavailable", message, retryable: false }, { cause: error })
  }
  if (why !== null || isClosed(error)) {
    const message = `${named} ended during the call. ${hide(why ?? "")}`.trim()
    return new ToolFailure({ kind: "unavailable", message }, { cause: error })
  }
  const { text } = cutText(hide(errorText(error)), bridgeLimits.errorBytes)
  const isInput = error instanceof Error && "code" in error && error.code === invalidParams
  return new ToolFailure(
    {
      kind: isInput ? "invalid_args" : "execution_error",
      message: isInput ? text : `${named} answered with an error: ${text}`,
    },
    { cause: error },
  )
}

function isClosed(error: unknown): boolean {
  const codes: readonly unknown[] = ["CONNECTION_CLOSED", "NOT_CONNECTED", "SEND_FAILED"]
  return error instanceof Error && "code" in error && codes.includes(error.code)
}

/** The texts of an answer, its files and its links; where there are none, its structured content. */
export function showBridged(result: unknown): string {
  const { content, structured } = result as Awaited<ReturnType<typeof bridgedResult>>
  if (content.length === 0) return JSON.stringify(structured ?? null)
  return showLines(...content.map(showPart))
}

function showPart(part: Record<string, unknown>): string | undefined {
  if (typeof part.text === "string") return part.text
  if (isObject(part.artifact)) return showArtifact(part.artifact as never)
  return typeof part.uri === "string" ? part.uri : undefined
}
