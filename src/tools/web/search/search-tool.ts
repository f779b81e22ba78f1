import { defineTool, type InferSchema, integer, object, text } from "../../../contract/index.ts"
import { webLimits } from "../../limits.ts"
import { missingPackages } from "../../missing-packages.ts"
import type { ToolDeps } from "../../tool-deps.ts"
import { type ProviderSettings, providerProblem } from "./providers.ts"

const inputSchema = object({
  query: text("What to look for.", { maxLength: 1_000 }),
  limit: integer("At most this many, such as 5.", {
    minimum: 1,
    maximum: webLimits.searchResultsMost,
    default: webLimits.searchResults,
  }),
})

export type SearchInput = InferSchema<typeof inputSchema>

export interface SearchDeps {
  readonly providers: readonly ProviderSettings[]
  /** Toolkeep's own. */
  readonly version: string
}

/** web.search: the first configured provider that answers. */
export function searchTool({ settings, version }: ToolDeps) {
  const parts: SearchDeps = { providers: settings.search ?? [], version }
  const absent = missingPackages("web.search", ["undici"])
  return defineTool({
    name: "web.search",
    title: "Search the web",
    description:
      "Searches the web: titles, addresses and snippets, best first. web.fetch reads a page. " +
      'Example: {"query": "node undici custom connect", "limit": 5}.',
    input: inputSchema,
    output: object({
      kind: { const: "search" },
      query: { type: "string" },
      provider: { type: "string", enum: ["searxng", "brave", "tavily"] },
      results: {
        type: "array",
        items: object({
          title: { type: "string" },
          url: { type: "string" },
          snippet: { type: "string" },
        }),
      },
      result_count: { type: "integer" },
    }),
    groups: ["web"],
    effects: ["network"],
    unavailableReason: () => unconfigured(parts.providers) ?? absent(),
    async run(input, context) {
      const { searchWeb } = await import("./search-web.ts")
      return searchWeb(input, parts, context)
    },
    show: ({ results }) =>
      results.map(({ title, url, snippet }) => `${title} ${url}\n  ${snippet}`).join("\n") ||
      "No matches.",
  })
}

/** What to write before any provider can be asked; null when one can. */
function unconfigured(providers: readonly ProviderSettings[]): string | null {
  if (providers.length === 0) {
    return (
      'web.search needs a provider: write `search: [{ provider: searxng, url: "http://localhost:8888" }]`, or brave or ' +
      "tavily with key_from, into toolkeep.yaml."
    )
  }
  const problems = providers.map(providerProblem)
  const [first = null] = problems
  return problems.includes(null) ? null : first
}
