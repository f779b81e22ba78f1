import { type CallContext, defineTool, type InferSchema, showLines } from "../../contract/index.ts"
import type { MemoryEntry, MemoryStore } from "../../store/index.ts"
import { memoryLimits } from "../../store/index.ts"
import { integer, object } from "../schemas.ts"
import { idArgument, namespaceArgument, timeFrom, timeSchema } from "./memory-arguments.ts"
import { noSuchEntry, noSuchNamespace } from "./no-such-memory.ts"
import type { OpenMemory } from "./session-memory.ts"

const inputSchema = object({
  namespace: namespaceArgument,
  "id?": idArgument("Only this entry"),
  offset: integer(
    "How many of the oldest entries to leave out, such as 100: next_offset of the answer before.",
    { minimum: 0, maximum: Number.MAX_SAFE_INTEGER, default: 0 },
  ),
  limit: integer("At most so many entries, such as 20.", {
    minimum: 1,
    maximum: memoryLimits.entriesShownMost,
    default: memoryLimits.entriesShown,
  }),
})

type Input = InferSchema<typeof inputSchema>

const outputSchema = object({
  kind: { const: "memory" },
  namespace: { type: "string" },
  text: { type: "string" },
  entries: {
    type: "array",
    items: object({
      id: { type: "string" },
      content: { type: "string" },
      created: timeSchema,
      updated: timeSchema,
    }),
  },
  entry_count: { type: "integer" },
  truncated: { type: "boolean" },
  "next_offset?": { type: "integer" },
})

/** memory.read: what a namespace holds, the oldest first. */
export function readTool(memory: OpenMemory) {
  return defineTool({
    name: "memory.read",
    title: "Read from memory",
    description:
      "Shows what was remembered in a namespace, oldest first: as one text and entry by entry, with the ids " +
      'that memory.write and memory.delete take. Example: {"namespace": "user"}.',
    input: inputSchema,
    output: outputSchema,
    groups: ["memory"],
    effects: ["read"],
    run: async (input, context) => readMemory(await memory(), input, context),
    show: ({ text }) => showLines(text),
  })
}

async function readMemory(store: MemoryStore, input: Input, { signal }: CallContext) {
  const { namespace, id, offset, limit } = input
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
      created: timeFrom(createdMs),
      updated: timeFrom(updatedMs),
    })),
  }
}
