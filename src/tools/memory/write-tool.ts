import { choice, defineTool, type InferSchema, object, text } from "../../contract/index.ts"
import { memoryLimits } from "../../store/index.ts"
import { invalidArgument } from "../arguments.ts"
import { idArgument, namespaceArgument, requireVisible } from "./memory-fields.ts"
import type { OpenMemory } from "./session-memory.ts"

const inputSchema = object({
  namespace: namespaceArgument,
  content: text("One thing, in words that will be searched for.", {
    maxLength: memoryLimits.entryBytes,
  }),
  mode: choice(
    ["append", "replace"],
    "replace: in place of the entry id or, without id, of the whole namespace.",
  ),
  "id?": idArgument("For replace"),
})

type Input = InferSchema<typeof inputSchema>

/** memory.write: one more entry, or another in the place of what was there. */
export function writeTool(memory: OpenMemory) {
  return defineTool({
    name: "memory.write",
    title: "Write to memory",
    description:
      "Remembers a text beyond this session, for memory.read and memory.search. " +
      'Example: {"namespace": "user", "content": "Prefers tea to coffee."}.',
    input: inputSchema,
    output: object({
      kind: { const: "memory" },
      namespace: { type: "string" },
      id: { type: "string" },
      mode: { enum: ["append", "replace"] },
      bytes: { type: "integer" },
      replaced: { type: "integer" },
      entry_count: { type: "integer" },
    }),
    groups: ["memory"],
    effects: ["write"],
    async run(input, { signal }) {
      const bytes = contentBytes(input.content)
      const write = writeFrom(input)
      requireVisible(input.namespace)
      const store = await memory()
      const { id, replaced, entryCount } = await store.write(write, { signal })
      const { namespace, mode } = input
      return { kind: "memory", namespace, id, mode, bytes, replaced, entry_count: entryCount }
    },
    show: ({ namespace, id, replaced, entry_count: count }) =>
      `Remembered in ${namespace} as ${id}${replaced > 0 ? `, in place of ${replaced}` : ""}; it has ${count} ${count === 1 ? "entry" : "entries"}.`,
  })
}

function writeFrom({ namespace, content, mode, id }: Input) {
  if (mode === "replace") {
    return id === undefined
      ? ({ kind: "replace-all", namespace, content } as const)
      : ({ kind: "replace-entry", namespace, content, id } as const)
  }
  if (id === undefined) return { kind: "append", namespace, content } as const
  throw invalidArgument(
    "id",
    'id names an entry to replace, and mode is "append". Leave id out, or use mode "replace".',
    'mode "replace" with id',
  )
}

function contentBytes(content: string): number {
  if (!content.isWellFormed()) {
    throw invalidArgument(
      "content",
      "content contains half of a surrogate pair, which no text can hold.",
      "well-formed Unicode text",
    )
  }
  const bytes = Buffer.byteLength(content)
  const most = memoryLimits.entryBytes
  if (bytes <= most) return bytes
  throw invalidArgument(
    "content",
    `content has ${bytes} bytes; one entry holds at most ${most}. Write it as several entries, or keep it in a file.`,
    `at most ${most} bytes of UTF-8`,
  )
}
