import { type CallContext, defineTool, showLines } from "../../contract/index.ts"
import type { MemoryStore } from "../../store/index.ts"
import { memoryLimits } from "../../store/index.ts"
import { object } from "../schemas.ts"
import { timeFrom, timeSchema } from "./memory-arguments.ts"
import type { OpenMemory } from "./session-memory.ts"

const inputSchema = object({
  "prefix?": {
    type: "string",
    maxLength: memoryLimits.namespaceCharacters,
    description: 'Only namespaces that start with this, such as "project/".',
  },
})

const outputSchema = object({
  kind: { const: "namespaces" },
  namespaces: {
    type: "array",
    items: object({
      namespace: { type: "string" },
      entries: { type: "integer" },
      bytes: { type: "integer" },
      updated: timeSchema,
    }),
  },
  namespace_count: { type: "integer" },
  truncated: { type: "boolean" },
})

/** memory.list: the namespaces, in the order of their names. */
export function listTool(memory: OpenMemory) {
  return defineTool({
    name: "memory.list",
    title: "List what memory holds",
    description:
      "Lists the namespaces of memory with how much each holds and when it last changed. " +
      'Example: {"prefix": "project/"}.',
    input: inputSchema,
    output: outputSchema,
    groups: ["memory"],
    effects: ["read"],
    run: async ({ prefix }, context) => listMemory(await memory(), prefix, context),
    show: ({ namespaces }) =>
      showLines(...namespaces.map(({ namespace, entries }) => `${namespace}: ${entries} entries`)),
  })
}

async function listMemory(
  store: MemoryStore,
  prefix: string | undefined,
  { signal, warn }: CallContext,
) {
  const found = await store.namespaces(prefix, { signal })
  const shown = found.slice(0, memoryLimits.namespacesShown)
  const truncated = shown.length < found.length
  if (truncated) warn(`Only ${shown.length} of ${found.length} namespaces are shown; use prefix.`)
  return {
    kind: "namespaces" as const,
    namespaces: shown.map(({ name, entryCount, bytes, updatedMs }) => ({
      namespace: name,
      entries: entryCount,
      bytes,
      updated: timeFrom(updatedMs),
    })),
    namespace_count: found.length,
    truncated,
  }
}
