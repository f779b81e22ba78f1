import {
  type CallContext,
  defineTool,
  type InferSchema,
  ToolFailure,
} from "../../contract/index.ts"
import type { MemoryStore } from "../../store/index.ts"
import { memoryLimits } from "../../store/index.ts"
import { choice, object, text } from "../schemas.ts"
import { idArgument, namespaceArgument } from "./memory-arguments.ts"
import type { OpenMemory } from "./session-memory.ts"

const inputSchema = object({
  namespace: namespaceArgument,
  content: text(
    'One thing to remember, in words that will be searched for, such as "Prefers tea to coffee."',
    { maxLength: memoryLimits.entryBytes },
  ),
  mode: choice(
    ["append", "replace"],
    'append adds an entry; replace puts it in the place of the entry id or, without id, of all that the namespace holds. Such as "append".',
  ),
  "id?": idArgument("For replace: the entry to replace"),
})

type Input = InferSchema<typeof inputSchema>

const outputSchema = object({
  kind: { const: "memory" },
  namespace: { type: "string" },
  id: { type: "string" },
  mode: { enum: ["append", "replace"] },
  bytes: { type: "integer" },
  replaced: { type: "integer" },
  entry_count: { type: "integer" },
})

/** memory.write: one more entry, or another in the place of what was there. */
export function writeTool(memory: OpenMemory) {
  return defineTool({
    name: "memory.write",
    title: "Write to memory",
    description:
      "Remembers a text beyond this session, for memory.read and memory.search. Answers when it is on the disk. " +
      'Example: {"namespace": "user", "content": "Prefers tea to coffee."}.',
    input: inputSchema,
    output: outputSchema,
    groups: ["memory"],
    effects: ["write"],
    run: async (input, context) => {
      const bytes = contentBytes(input.content)
      const write = writeFrom(input)
      return writeMemory(await memory(), { input, write, bytes }, context)
    },
    show: ({ namespace, id }) => `Remembered in ${namespace} as ${id}.`,
  })
}

async function writeMemory(
  store: MemoryStore,
  asked: {
    readonly input: Input
    readonly write: ReturnType<typeof writeFrom>
    readonly bytes: number
  },
  { signal }: CallContext,
) {
  const { namespace, mode } = asked.input
  const { id, replaced, entryCount } = await store.write(asked.write, { signal })
  return {
    kind: "memory" as const,
    namespace,
    id,
    mode,
    bytes: asked.bytes,
    replaced,
    entry_count: entryCount,
  }
}

function writeFrom({ namespace, content, mode, id }: Input) {
  if (mode === "replace") {
    return id === undefined
      ? ({ kind: "replace-all", namespace, content } as const)
      : ({ kind: "replace-entry", namespace, content, id } as const)
  }
  if (id === undefined) return { kind: "append", namespace, content } as const
  throw new ToolFailure({
    kind: "invalid_args",
    message:
      'id names an entry to replace, and mode is "append". Leave id out, or use mode "replace".',
    field: "id",
    expected: 'mode "replace" with id',
  })
}

function contentBytes(content: string): number {
  if (!content.isWellFormed()) {
    throw new ToolFailure({
      kind: "invalid_args",
      message: "content contains half of a surrogate pair, which no text can hold.",
      field: "content",
      expected: "well-formed Unicode text",
    })
  }
  const bytes = Buffer.byteLength(content)
  const most = memoryLimits.entryBytes
  if (bytes <= most) return bytes
  throw new ToolFailure({
    kind: "invalid_args",
    message: `content has ${bytes} bytes; one entry holds at most ${most}. Write it as several entries, or keep it in a file.`,
    field: "content",
    expected: `at most ${most} bytes of UTF-8`,
  })
}
