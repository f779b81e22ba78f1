import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { z } from "zod"
import { limits } from "../../src/contract/index.ts"
import { openBridge, scriptedServer } from "../support/mcp/bridge-fixture.ts"
import { listen } from "../support/tools/model-server-fixture.ts"
import { wavOf } from "../support/tools/speech-fixture.ts"
import { localBench, resultOf, type ToolBench } from "../support/tools/tool-bench.ts"
import { fixed, openWeb, pdfOf, type Web } from "../support/tools/web-fixture.ts"

const note = /\n\[\.\.\. (\d+) bytes left out \.\.\.\]\n/g

/** Long texts: plain, in characters of several bytes, and such that JSON writes each byte as six. */
const texts = {
  plain: numbered(10_000, "line"),
  wide: numbered(8_000, "é語😀"),
  control: numbered(4_000, "\u0001\u0002\u0003\u0004\u0005\u0006\u0007\u000e\u000f".repeat(4)),
  quoting: `${numbered(3_000, "before")}\n[... 77 bytes left out ...]\n${numbered(9_000, "after")}`,
} as const
type Sort = keyof typeof texts
const sorts = Object.keys(texts) as Sort[]

interface FilePiece {
  readonly text?: string
  readonly bytes: number
  readonly next_offset?: number
}

function numbered(lines: number, word: string): string {
  return Array.from({ length: lines }, (_, at) => `${at} ${word}\n`).join("")
}

/** Head and tail are the text's own, and with what is said to be hidden they are all of it. */
function requireTrue(shown: string, whole: string): void {
  const notes = [...shown.matchAll(note)].filter(([found]) => !whole.includes(found))
  expect(notes).toHaveLength(1)
  const [found = "", hidden = ""] = notes[0] ?? []
  const [head = "", tail = ""] = shown.split(found)
  expect([whole.startsWith(head), whole.endsWith(tail)]).toEqual([true, true])
  const bytes = Buffer.byteLength(head) + Buffer.byteLength(tail) + Number(hidden)
  expect(bytes).toBe(Buffer.byteLength(whole))
  expect(Buffer.byteLength(shown)).toBeLessThanOrEqual(limits.textBytes)
}

const bridgedResult = z.object({ content: z.array(z.object({ text: z.string() })) })

const paper = Array.from(
  { length: 1_200 },
  (_, at) => `Page ${at} is about ducks that swim, fly, sleep.`,
)

let web: Web
let bench: ToolBench
beforeAll(async () => {
  web = await openWeb({
    ...Object.fromEntries(sorts.map((sort) => [`/${sort}`, fixed(texts[sort])])),
    "/paper": fixed(pdfOf("Long", paper), "application/pdf"),
  })
  bench = await localBench.open({ settings: web.settings })
  for (const sort of sorts) await bench.workspace.writeFile(sort, texts[sort])
})
afterAll(async () => {
  await bench[Symbol.asyncDispose]()
  await web[Symbol.asyncDispose]()
})

describe.each(sorts)(
  "O34, Y13: what is shown and what is said to be hidden is all of a %s text",
  (sort) => {
    const whole = texts[sort]

    it("O34, Y13: that a command or a program prints", async () => {
      const command = `cat ${sort}; cat ${sort} >&2`
      const both = resultOf(await bench.call("shell.exec", { command }), "command")
      requireTrue(both.stdout, whole)
      requireTrue(both.stderr, whole)
      const code = resultOf(await bench.call("code.run", { language: "bash", code: command }))
      requireTrue(code.stdout, whole)
    })

    it("O34, Y13: that is a web page", async () => {
      // Control characters make a page binary, which is kept as a file.
      const url = `${web.origin}/${sort === "control" ? "plain" : sort}`
      const page = resultOf(await bench.call("web.fetch", { url, format: "raw" }))
      requireTrue(page.text, sort === "control" ? texts.plain : whole)
      expect(page.truncated).toBe(true)
    })

    it("O34, Y13: that a model writes down of a recording, or answers on an image", async () => {
      const said = whole.trim()
      const choices = [{ message: { content: said } }]
      await using server = await listen(() => ({
        status: 200,
        body: JSON.stringify({ text: said, choices }),
      }))
      const model = { url: server.url, model: "m" }
      await using asking = await localBench.open({
        settings: { models: { transcription: model, vision: model } },
      })
      await asking.workspace.writeFile("a.wav", wavOf(Buffer.alloc(16_000), 16_000))
      const heard = resultOf(await asking.call("audio.transcribe", { path: "a.wav" }))
      requireTrue(heard.text, said)
      const pixel =
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
      const seen = resultOf(await asking.call("image.analyze", { data: pixel }))
      requireTrue(seen.description ?? "", said)
    })

    it("O34, Y13: that a bridged server answers with", async () => {
      const file = JSON.stringify(`${bench.workspace.cwd}/${sort}`)
      const answers = `const text = require("node:fs").readFileSync(${file}, "utf8")
      on["tools/call"] = ({ id }) => answer(id, { content: [{ type: "text", text }] })`
      const { session } = await openBridge({ mcpServers: { one: scriptedServer(answers) } })
      const envelope = await session.call("mcp:one:echo", { text: "a" })
      const { content } = bridgedResult.parse(resultOf(envelope))
      requireTrue(content[0]?.text ?? "", whole)
    })

    it("O34, Y13: that is remembered", async () => {
      const entry = whole.slice(0, 20_000)
      for (let at = 0; at < 3; at += 1) {
        await bench.call("memory.write", { namespace: sort, content: `${at} ${entry}` })
      }
      const page = resultOf(await bench.call("memory.read", { namespace: sort }))
      const more = page.next_offset ?? page.entry_count
      expect(page.entries.length).toBe(more)
      for (const [at, { content }] of page.entries.entries()) {
        if (content !== `${at} ${entry}`) requireTrue(content, `${at} ${entry}`)
      }
    })

    it("O34, Y13, O5: that is a file, read piece by piece", async () => {
      const bytes = Buffer.from(whole)
      let next: number | undefined = 0
      while (next !== undefined) {
        const input = { path: sort, offset: next }
        const piece: FilePiece = resultOf(await bench.call("file.read", input), "file")
        const own = bytes.subarray(next, next + piece.bytes).toString()
        if (piece.text !== own) requireTrue(piece.text ?? "", own)
        expect(piece.next_offset ?? bytes.length).toBe(next + piece.bytes)
        next = piece.next_offset
      }
    })
  },
)

it("O34, Y13: what is shown of a PDF and what is said to be hidden is all of its text", async () => {
  const { text } = resultOf(
    await bench.call("web.fetch", { url: `${web.origin}/paper`, timeout_ms: 120_000 }),
  )
  requireTrue(text, paper.join("\n\n"))
})

it("O34, Y13: bytes that are no text grow when they are shown, and are counted once", async () => {
  const command = "head -c 200000 /dev/zero | tr '\\0' '\\377'"
  const { stdout } = resultOf(await bench.call("shell.exec", { command }), "command")
  expect([...stdout.matchAll(note)]).toHaveLength(1)
  const [head = "", , tail = ""] = stdout.split(note)
  const hidden = Number([...stdout.matchAll(note)][0]?.[1])
  expect(hidden + head.length + tail.length).toBeGreaterThan(100_000)
})
