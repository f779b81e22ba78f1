import { expect, it } from "vitest"
import { openToolkeep } from "./open-toolkeep.ts"

/** Words that only payloads have. */
const payloadWords = ["command.run", "files.read", "files.write", "files.list", "files.exists"]

it("R2.unseen: the schema, the tool and the payload are apart: a model sees no word of a payload", async () => {
  await using keep = await openToolkeep({ host: "memory" })
  const session = keep.session()
  const seen: unknown[] = [
    ...session.tools({ for: "anthropic", all: true }),
    ...session.tools({ for: "openai", all: true }),
    ...session.tools({ for: "mcp", all: true }),
  ]
  session.listen((event) => seen.push(event))
  seen.push(await session.call("shell.exec", { command: "echo hi; exit 3", timeout_ms: 5_000 }))
  seen.push(await session.call("file.write", { path: "a/b.txt", content: "text" }))
  seen.push(await session.call("file.grep", { pattern: "text" }))
  seen.push(await session.call("file.read", { path: "nowhere" }))
  const text = JSON.stringify(seen)
  expect(payloadWords.filter((word) => text.includes(word))).toEqual([])
  expect(text).toContain("exit_code")
})
