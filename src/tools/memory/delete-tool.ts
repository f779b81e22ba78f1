import { type CallContext, defineTool, type InferSchema } from "../../contract/index.ts"
import type { MemoryStore } from "../../store/index.ts"
import { object } from "../schemas.ts"
import { idArgument, namespaceArgument } from "./memory-arguments.ts"
import { noSuchEntry, noSuchNamespace } from "./no-such-memory.ts"
import type { OpenMemory } from "./session-memory.ts"

const inputSchema = object({
  namespace: namespaceArgument,
  "id?": idArgument("Only this entry; without it, all of the namespace"),
})

const outputSchema = object({
  kind: { const: "memory" },
  namespace: { type: "string" },
  deleted: { type: "integer" },
  entry_count: { type: "integer" },
})

/** memory.delete: forgets an entry or a namespace. */
export function deleteTool(memory: OpenMemory) {
  return defineTool({
    name: "memory.delete",
    title: "Delete from memory",
    description:
      "Forgets one entry of a namespace or, without id, all of it. What is deleted can't be brought back. " +
      'Example: {"namespace": "user", "id": "memory_7d2k0v9w3q1x"}.',
    input: inputSchema,
    output: outputSchema,
    groups: ["memory"],
    effects: ["write"],
    run: async (input, context) => deleteMemory(await memory(), input, context),
    show: ({ namespace, deleted }) => `Forgot ${deleted} of ${namespace}.`,
  })
}

async function deleteMemory(
  store: MemoryStore,
  { namespace, id }: InferSchema<typeof inputSchema>,
  { signal }: CallContext,
) {
  const deleted = await store.remove(namespace, id, { signal })
  const left = await store.read(namespace, { offset: 0, limit: 1 }, { signal })
  if (deleted === 0 && left === null) throw await noSuchNamespace(store, namespace, signal)
  if (deleted === 0 && id !== undefined) throw noSuchEntry(namespace, id)
  return { kind: "memory" as const, namespace, deleted, entry_count: left?.entryCount ?? 0 }
}
