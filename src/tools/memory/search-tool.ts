import { choice, defineTool, integer, object, showLines, text } from "../../contract/index.ts"
import type { MemoryHit } from "../../store/index.ts"
import { memoryLimits } from "../../store/index.ts"
import { namespaceArgument, noSuchNamespace, requireVisible } from "./memory-fields.ts"
import type { OpenMemory } from "./session-memory.ts"

/** memory.search: entries by their words and by their meaning. */
export function searchTool(memory: OpenMemory) {
  return defineTool({
    name: "memory.search",
    title: "Search memory",
    description:
      "Finds what was remembered, by words and by meaning, best first. Where a snippet is not whole, memory.read with " +
      "namespace and id has the rest. similarity near 0 means unrelated. " +
      'Example: {"query": "which drinks does the user like", "limit": 5}.',
    input: object({
      query: text("In plain words.", {
        maxLength: memoryLimits.queryCharacters,
      }),
      "namespace?": {
        ...namespaceArgument,
        description: 'Only there, such as "user".',
      },
      limit: integer("At most this many, such as 5.", {
        minimum: 1,
        maximum: memoryLimits.resultsMost,
        default: memoryLimits.results,
      }),
      mode: choice(
        ["hybrid", "keyword", "vector"],
        "keyword: the same words, such as a name; vector: the same meaning.",
      ),
    }),
    output: object({
      kind: { const: "search" },
      query: { type: "string" },
      results: {
        type: "array",
        items: object({
          namespace: { type: "string" },
          id: { type: "string" },
          snippet: { type: "string" },
          whole: { type: "boolean" },
          score: { type: "number" },
          "similarity?": { type: "number" },
          matched_by: { type: "array", items: { enum: ["keyword", "vector"] } },
          updated: { type: "string", format: "date-time" },
        }),
      },
      result_count: { type: "integer" },
    }),
    groups: ["memory"],
    effects: ["read"],
    async run({ query, namespace, limit, mode }, { signal, warn }) {
      if (namespace !== undefined) requireVisible(namespace)
      const store = await memory()
      const { hits, warnings } = await store.search({ query, namespace, limit, mode }, { signal })
      if (hits.length === 0 && namespace !== undefined) {
        const page = await store.read(namespace, { offset: 0, limit: 1 }, { signal })
        if (page === null) throw await noSuchNamespace(store, namespace, signal)
      }
      for (const warning of warnings) warn(warning)
      if (mode !== "keyword" && query.length > memoryLimits.embeddedCharacters) {
        warn(
          `Only the first ${memoryLimits.embeddedCharacters} characters of query were compared by meaning.`,
        )
      }
      return {
        kind: "search",
        query: query.slice(0, memoryLimits.embeddedCharacters),
        results: hits.map(resultFrom),
        result_count: hits.length,
      }
    },
    show: ({ results }) => showLines(...results.map(showHit)) || "No matches.",
  })
}

function showHit(hit: ReturnType<typeof resultFrom>): string {
  const { namespace, id, snippet, whole, similarity, updated } = hit
  const alike = similarity === undefined ? "" : `, similarity ${similarity}`
  const by = `score ${hit.score}${alike}, by ${hit.matched_by.join(" and ")}`
  return `${namespace} ${id} (${by}; ${updated})\n  ${snippet}${whole ? "" : " [not whole]"}`
}

function resultFrom(hit: MemoryHit) {
  const { namespace, id, snippet, whole, similarity } = hit
  return {
    ...{ namespace, id, snippet, whole },
    score: rounded(hit.score),
    ...(similarity === null ? {} : { similarity: rounded(similarity) }),
    matched_by: hit.matchedBy,
    updated: new Date(hit.updatedMs).toISOString(),
  }
}

function rounded(value: number): number {
  return Math.round(value * 10_000) / 10_000
}
