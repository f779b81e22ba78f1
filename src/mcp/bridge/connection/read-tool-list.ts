import type { Client } from "@modelcontextprotocol/client"
import type { StandardSchemaV1 } from "@standard-schema/spec"
import { isObject } from "../../../contract/index.ts"
import { bridgeLimits } from "../../limits.ts"

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

const { tools: mostTools, pages: mostPages } = bridgeLimits

/** Reads all pages of a server's tools. */
export async function readToolList(client: Client, signal: AbortSignal): Promise<ListedTools> {
  if (!client.getServerCapabilities()?.tools) return { tools: [], problem: null }
  const tools: ListedTool[] = []
  const seen = new Set<string>()
  let cursor: string | undefined
  for (let page = 0; page < mostPages; page += 1) {
    const request = { method: "tools/list", params: cursor === undefined ? {} : { cursor } }
    const options = { signal, timeout: bridgeLimits.startMs }
    const answer = await client.request(request, anyList, options)
    for (const tool of answer.tools) {
      if (tools.length === mostTools) return { tools, problem: tooMany }
      if (isListedTool(tool)) tools.push(tool)
    }
    cursor = answer.cursor
    // A repeated cursor would never end.
    if (cursor === undefined || seen.has(cursor)) return { tools, problem: null }
    seen.add(cursor)
  }
  return { tools, problem: `It has more than ${mostPages} pages of tools; the rest is left out.` }
}

interface ToolPage {
  readonly tools: readonly unknown[]
  readonly cursor: string | undefined
}

/** Accepts any list: one tool that is described wrongly does not hide the others. */
const anyList: StandardSchemaV1<unknown, ToolPage> = {
  "~standard": {
    version: 1,
    vendor: "toolkeep",
    validate(value: unknown) {
      const { tools, nextCursor } = isObject(value) ? value : {}
      return {
        value: {
          tools: Array.isArray(tools) ? tools : [],
          cursor: typeof nextCursor === "string" ? nextCursor : undefined,
        },
      }
    },
  },
}

function isListedTool(tool: unknown): tool is ListedTool {
  return isObject(tool) && typeof tool.name === "string" && tool.name !== ""
}

const tooMany = `It lists more than ${mostTools} tools; the rest is left out.`
