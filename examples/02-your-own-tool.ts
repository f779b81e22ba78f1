// A tool of your own, written once: zod gives its types, its validation and what the model sees.
import assert from "node:assert/strict"
import { defineTool, openToolkeep } from "toolkeep"
import { z } from "zod"

const countWords = defineTool({
  name: "text.count_words",
  description: 'Counts the words of a file, such as {"path": "notes.md"}.',
  input: z.object({ path: z.string().min(1), longest: z.int().min(1).default(80) }),
  output: z.object({ words: z.int() }),
  effects: ["read"],
  paths: ({ path }) => [{ path, mode: "read" }],
  async run({ path, longest }, context) {
    const workspace = await context.workspace()
    const words = (await workspace.readFile(path, { signal: context.signal })).split(/\s+/)
    return { words: words.filter((word) => word !== "" && word.length <= longest).length }
  },
})

await using keep = await openToolkeep({ host: "memory", tools: [countWords] })
const session = keep.session()

await session.call("file.write", { path: "notes.md", content: "to keep one's word" })
const counted = await session.call("text.count_words", { path: "notes.md", longest: 20 })
assert(counted.ok)
assert.equal(counted.result.words, 4)

const missing = await session.call("text.count_words", { path: "nowhere.md" })
assert(!missing.ok)
assert.equal(missing.kind, "not_found")

const names = session.tools({ for: "anthropic" }).map((tool) => tool.name)
assert(names.includes("text_count_words"))
console.log(counted, missing, names)
