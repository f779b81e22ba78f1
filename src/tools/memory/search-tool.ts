import { defineTool, showLines } from "../../contract/index.ts"
import type { MemoryHit } from "../../store/index.ts"
import { memoryLimits } from "../../store/index.ts"
import { choice, integer, object, text } from "../schemas.ts"
import { namespaceArgument, noSuchNamespace } from "./memory-fields.ts"
import type { OpenMemory } from "./session-memory.ts"

/** memory.search: entries by their words and by their meaning. */
export function searchTool(memory: OpenMemory) {
  return defineTool({
    name: "memory.search",
    title: "Search memory",
    description:
      "Finds what was remembered, by words and by meaning, the best first. snippet is the part that matches; " +
      "where whole is false, memory.read with namespace and id has the rest. similarity near 0 means unrelated. " +
      'Example: {"query": "which drinks does the user like", "limit": 5}.',
    input: object({
      query: text(
        'What is looked for, in plain words, such as "which drinks does the user like".',
        {
          maxLength: memoryLimits.queryCharacters,
        },
      ),
      "namespace?": {
        ...namespaceArgument,
        description: 'Only in this namespace, such as "user". Everywhere when absent.',
      },
      limit: integer("How many results at most, such as 5.", {
        minimum: 1,
        maximum: memoryLimits.resultsMost,
        default: memoryLimits.results,
      }),
      mode: choice(
        ["hybrid", "keyword", "vector"],
        'keyword finds the same words, vector the same meaning, hybrid both. Such as "keyword" for a name or a code.',
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
    show: ({ results }) =>
      showLines(...results.map(({ namespace, snippet }) => `${namespace}\n  ${snippet}`)),
  })
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
