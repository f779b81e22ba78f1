import { defineTool, object } from "../../contract/index.ts"
import {
  idArgument,
  namespaceArgument,
  noSuchEntry,
  noSuchNamespace,
  requireVisible,
} from "./memory-fields.ts"
import type { OpenMemory } from "./session-memory.ts"

/** memory.delete: forgets an entry or a namespace. */
export function deleteTool(memory: OpenMemory) {
  return defineTool({
    name: "memory.delete",
    title: "Delete from memory",
    description:
      "Permanently deletes one entry of a namespace or, without id, all of them. " +
      'Example: {"namespace": "user", "id": "memory_7d2k0v9w3q1x"}.',
    input: object({
      namespace: namespaceArgument,
      "id?": idArgument("Only this entry"),
    }),
    output: object({
      kind: { const: "memory" },
      namespace: { type: "string" },
      deleted: { type: "integer" },
      entry_count: { type: "integer" },
    }),
    groups: ["memory"],
    effects: ["write"],
    async run({ namespace, id }, { signal }) {
      requireVisible(namespace)
      const store = await memory()
      const deleted = await store.remove(namespace, id, { signal })
      const left = await store.read(namespace, { offset: 0, limit: 1 }, { signal })
      if (deleted === 0 && left === null) throw await noSuchNamespace(store, namespace, signal)
      if (deleted === 0 && id !== undefined) throw noSuchEntry(namespace, id)
      return { kind: "memory", namespace, deleted, entry_count: left?.entryCount ?? 0 }
    },
    show: ({ namespace, deleted, entry_count: left }) =>
      `Deleted ${deleted} entries of ${namespace}; ${left} are left.`,
  })
}
