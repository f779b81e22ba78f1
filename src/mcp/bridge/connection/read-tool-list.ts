import type { Client } from "@modelcontextprotocol/client"
import { isObject, limits } from "../../../contract/index.ts"

/** A tool as its server describes it; nothing about it is checked yet. */
export interface ListedTool {
  readonly name: string
  readonly title?: unknown
  readonly description?: unknown
  readonly inputSchema?: unknown
  readonly outputSchema?: unknown
  readonly annotations?: unknown
}

export interface ListedTools {
  readonly tools: readonly ListedTool[]
  /** What was left out of the list, as a sentence; null for a whole one. */
  readonly problem: string | null
}

const { tools: mostTools, pages: mostPages } = limits.bridge

/** Reads all pages of a server's tools, as far as they lead somewhere. */
export async function readToolList(client: Client, signal: AbortSignal): Promise<ListedTools> {
  if (!client.getServerCapabilities()?.tools) return { tools: [], problem: null }
  const tools: ListedTool[] = []
  const seen = new Set<string>()
  let cursor: string | undefined
  for (let page = 0; page < mostPages; page += 1) {
    const params = cursor === undefined ? {} : { cursor }
    const request = { method: "tools/list", params }
    const answer = await client.request(request, anyList, {
      signal,
      timeout: limits.bridge.startMs,
    })
    for (const tool of answer.tools) {
      if (tools.length === mostTools) return { tools, problem: tooMany }
      if (isListedTool(tool)) tools.push(tool)
    }
    cursor = answer.nextCursor
    // A cursor that comes again would lead in a circle.
    if (cursor === undefined || seen.has(cursor)) return { tools, problem: null }
    seen.add(cursor)
  }
  return { tools, problem: `It has more than ${mostPages} pages of tools; the rest is left out.` }
}

interface AnyList {
  readonly tools: readonly unknown[]
  readonly nextCursor: string | undefined
}

/** One tool that is described wrongly is no reason to lose the others, so each is looked at alone. */
const anyList = {
  "~standard": {
    version: 1,
    vendor: "toolkeep",
    validate: (value: unknown) => ({ value: readList(value) }),
    types: undefined as { readonly input: unknown; readonly output: AnyList } | undefined,
  },
} as const

function readList(value: unknown): AnyList {
  const { tools, nextCursor } = isObject(value) ? value : {}
  return {
    tools: Array.isArray(tools) ? tools : [],
    nextCursor: typeof nextCursor === "string" ? nextCursor : undefined,
  }
}

function isListedTool(tool: unknown): tool is ListedTool {
  return isObject(tool) && typeof tool.name === "string" && tool.name !== ""
}

const tooMany = `It lists more than ${mostTools} tools; the rest is left out.`
