import { apiNameOf, defineTool, integer, object, type Tool, text } from "../../contract/index.ts"
import { toolSearchLimits } from "../limits.ts"
import { takeFitting } from "../take-fitting.ts"
import type { ToolIndex } from "./tool-index.ts"

/** The caller that the policy decides for. */
export interface ToolCaller {
  readonly agent?: string | undefined
  readonly provider?: string | undefined
}

/** What tools.search needs of a session whose models are shown tools as they need them. */
export interface ToolLoading {
  /** Every tool there is: the same list until one comes or goes. */
  readonly all: (signal: AbortSignal) => Promise<readonly Tool[]>
  /** Whether models of this caller may be shown a tool. */
  readonly shows: (tool: Tool, caller: ToolCaller) => boolean
  /** From now on, models are shown these. */
  readonly load: (tools: readonly Tool[]) => void
}

export const searchToolName = "tools.search"

/** tools.search: finds the tools that a model is not shown at first. */
export function searchTool(loading: ToolLoading) {
  let indexed: { readonly tools: readonly Tool[]; readonly index: ToolIndex<Tool> } | null = null

  async function currentIndex(signal: AbortSignal): Promise<ToolIndex<Tool>> {
    const tools = await loading.all(signal)
    if (indexed?.tools !== tools) {
      const { indexTools } = await import("./tool-index.ts")
      indexed = { tools, index: indexTools(tools) }
    }
    return indexed.index
  }

  return defineTool({
    name: searchToolName,
    title: "Find tools",
    description:
      "Finds tools that are not in your list, by what they do. Call them by name, as input_schema says. " +
      'Search before you say that something can\'t be done. Example: {"query": "take a screenshot of a web page"}.',
    input: object({
      query: text("What the tool should do, or its name.", {
        maxLength: toolSearchLimits.queryCharacters,
      }),
      limit: integer("At most this many, such as 3.", {
        minimum: 1,
        maximum: toolSearchLimits.resultsMost,
        default: toolSearchLimits.results,
      }),
    }),
    output: object({
      kind: { const: "tools" },
      query: { type: "string" },
      tools: {
        type: "array",
        items: object({
          name: { type: "string", description: "What to call it by." },
          title: { type: "string" },
          description: { type: "string" },
          input_schema: { type: "object", description: "A JSON Schema of its arguments." },
        }),
      },
      tool_count: { type: "integer", description: "Of the tools in this answer." },
    }),
    effects: ["read"],
    async run({ query, limit }, context) {
      const { agent, provider } = context
      const index = await currentIndex(context.signal)
      const found = index.rank(
        query,
        limit,
        (tool) => tool.name !== searchToolName && loading.shows(tool, { agent, provider }),
      )
      loading.load(found)
      const tools = takeFitting(found.map(describe), toolSearchLimits.foundBytes)
      if (found.length === 0)
        context.warn("No tool matches. Describe in other words what it should do.")
      if (tools.length < found.length)
        context.warn("More were found; their schemas don't fit here.")
      return { kind: "tools", query, tools, tool_count: tools.length }
    },
  })
}

function describe({ name, title, description, inputSchema: input_schema }: Tool) {
  return { name: apiNameOf(name), title, description, input_schema }
}
