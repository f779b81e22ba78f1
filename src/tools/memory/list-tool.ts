import { defineTool, object, showLines } from "../../contract/index.ts"
import { memoryLimits } from "../../store/index.ts"
import type { OpenMemory } from "./session-memory.ts"

interface Namespace {
  readonly namespace: string
  readonly entries: number
  readonly bytes: number
  readonly updated: string
}

function showNamespace({ namespace, entries, bytes, updated }: Namespace): string {
  return `${namespace}: ${entries} entries, ${bytes} bytes, changed ${updated}`
}

/** memory.list: the namespaces, in the order of their names. */
export function listTool(memory: OpenMemory) {
  return defineTool({
    name: "memory.list",
    title: "List what memory holds",
    description:
      "Lists the namespaces of memory, how much each holds and when it changed. " +
      'Example: {"prefix": "project/"}.',
    input: object({
      "prefix?": {
        type: "string",
        maxLength: memoryLimits.namespaceCharacters,
        description: "Only those that start so.",
      },
    }),
    output: object({
      kind: { const: "namespaces" },
      namespaces: {
        type: "array",
        items: object({
          namespace: { type: "string" },
          entries: { type: "integer" },
          bytes: { type: "integer" },
          updated: { type: "string", format: "date-time" },
        }),
      },
      namespace_count: { type: "integer" },
      truncated: { type: "boolean" },
    }),
    groups: ["memory"],
    effects: ["read"],
    async run({ prefix }, { signal, warn }) {
      const store = await memory()
      const found = await store.namespaces(prefix, { signal })
      const shown = found.slice(0, memoryLimits.namespacesShown)
      const truncated = shown.length < found.length
      if (truncated)
        warn(`Only ${shown.length} of ${found.length} namespaces are shown; use prefix.`)
      return {
        kind: "namespaces",
        namespaces: shown.map(({ name, entryCount, bytes, updatedMs }) => ({
          namespace: name,
          entries: entryCount,
          bytes,
          updated: new Date(updatedMs).toISOString(),
        })),
        namespace_count: found.length,
        truncated,
      }
    },
    show: ({ namespaces, namespace_count: count, truncated }) =>
      namespaces.length === 0
        ? "No matches."
        : showLines(...namespaces.map(showNamespace), truncated && `[${count} in all]`),
  })
}
