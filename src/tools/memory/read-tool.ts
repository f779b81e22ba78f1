import { defineTool, integer, object, showLines } from "../../contract/index.ts"
import type { MemoryEntry } from "../../store/index.ts"
import { memoryLimits } from "../../store/index.ts"
import {
  idArgument,
  namespaceArgument,
  noSuchEntry,
  noSuchNamespace,
  requireVisible,
} from "./memory-fields.ts"
import type { OpenMemory } from "./session-memory.ts"

/** memory.read: what a namespace holds, the oldest first. */
export function readTool(memory: OpenMemory) {
  return defineTool({
    name: "memory.read",
    title: "Read from memory",
    description:
      "Shows what a namespace holds, oldest first, with the ids " +
      'that memory.write and memory.delete take. Example: {"namespace": "user"}.',
    input: object({
      namespace: namespaceArgument,
      "id?": idArgument("Only this entry"),
      offset: integer("Leave out this many of the oldest, such as the last answer's next_offset.", {
        minimum: 0,
        default: 0,
      }),
      limit: integer("At most this many, such as 20.", {
        minimum: 1,
        maximum: memoryLimits.entriesShownMost,
        default: memoryLimits.entriesShown,
      }),
    }),
    output: object({
      kind: { const: "memory" },
      namespace: { type: "string" },
      text: { type: "string" },
      entries: {
        type: "array",
        items: object({
          id: { type: "string" },
          content: { type: "string" },
          created: { type: "string", format: "date-time" },
          updated: { type: "string", format: "date-time" },
        }),
      },
      entry_count: { type: "integer" },
      truncated: { type: "boolean" },
      "next_offset?": { type: "integer" },
    }),
    groups: ["memory"],
    effects: ["read"],
    async run({ namespace, id, offset, limit }, { signal }) {
      requireVisible(namespace)
      const store = await memory()
      const page = await store.read(namespace, { offset, limit }, { signal })
      if (page === null) throw await noSuchNamespace(store, namespace, signal)
      const answer = { kind: "memory", namespace } as const
      if (id !== undefined) {
        const entry = await store.find(namespace, id, { signal })
        if (entry === null) throw noSuchEntry(namespace, id)
        return { ...answer, ...shown([entry]), entry_count: page.entryCount, truncated: false }
      }
      const entries = fitting(page.entries)
      const next = offset + entries.length
      const truncated = next < page.entryCount
      return {
        ...answer,
        ...shown(entries),
        entry_count: page.entryCount,
        truncated,
        ...(truncated ? { next_offset: next } : {}),
      }
    },
    show: ({ entries, entry_count: count, next_offset: next }) =>
      showLines(
        ...entries.map(({ id, content, updated }) => `${id} (${updated}): ${content}`),
        next !== undefined && `[${count} entries in all; next_offset ${next}]`,
      ),
  })
}

/** As many as one answer has room for, and always one. */
function fitting(entries: readonly MemoryEntry[]): readonly MemoryEntry[] {
  let bytes = 0
  const beyond = entries.findIndex(({ content }) => {
    bytes += Buffer.byteLength(content)
    return bytes > memoryLimits.shownBytes
  })
  return beyond === -1 ? entries : entries.slice(0, Math.max(1, beyond))
}

function shown(entries: readonly MemoryEntry[]) {
  return {
    text: entries.map(({ content }) => content).join("\n"),
    entries: entries.map(({ id, content, createdMs, updatedMs }) => ({
      id,
      content,
      created: new Date(createdMs).toISOString(),
      updated: new Date(updatedMs).toISOString(),
    })),
  }
}
