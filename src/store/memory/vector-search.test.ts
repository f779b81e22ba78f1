import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, rm } from "node:fs/promises"
import { createServer, type IncomingMessage } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { afterAll, expect, it } from "vitest"
import { memoryLimits } from "../limits.ts"
import type { MemoryStore } from "./database/memory-store.ts"
import { chooseEmbedding, type Embedder } from "./embedding/embedder.ts"
import { sqliteMemory } from "./sqlite-memory.ts"

const directory = await mkdtemp(join(tmpdir(), "toolkeep-vectors-"))
afterAll(() => rm(directory, { recursive: true, force: true }))

const append = (store: MemoryStore, content: string) =>
  store.write({ kind: "append", namespace: "notes", content })
const open = (file: string, embedder: Embedder) =>
  sqliteMemory({ file: join(directory, file), embedding: { kind: "embedder", embedder } })

// Loading a model takes long on a busy machine.
const modelMs = 120_000

it("Y14.hybrid: finds by meaning what shares no word, and ranks what both ways find first", {
  timeout: modelMs,
}, async () => {
  const embedding = chooseEmbedding({ kind: "local" })
  const file = join(directory, "meaning.db")
  const store = await sqliteMemory({ file, embedding })
  await append(store, "The automobile is parked in the garage.")
  await append(store, "My sister likes strawberry cake.")
  const filler = "The committee discussed the budget of the school library. ".repeat(8)
  const dogs = "Dogs bark at the postman. The puppy chased him down the street. ".repeat(3)
  await append(store, `${filler}\n\n${dogs}\n\n${filler}`)
  await append(store, "\0 \u3000")
  const search = async (query: string, mode: "hybrid" | "vector" = "hybrid") =>
    (await store.search({ query, limit: 3, mode })).hits
  const settled = async () => store.search({ query: "car", limit: 1, mode: "hybrid" })
  await expect.poll(async () => (await settled()).warnings, { timeout: 60_000 }).toEqual([])
  const [car, ...others] = await search("car")
  expect(car).toMatchObject({
    snippet: "The automobile is parked in the garage.",
    whole: true,
    matchedBy: ["vector"],
  })
  expect(car?.similarity).toBeGreaterThan(0.3)
  for (const other of others) expect(other.similarity).toBeLessThan(car?.similarity ?? 0)
  const [cake] = await search("Which cake would a girl like?")
  expect(cake).toMatchObject({ score: 1, matchedBy: ["keyword", "vector"] })
  const [long] = await search("an animal attacked the mail carrier", "vector")
  expect(long).toMatchObject({ whole: false })
  expect(long?.snippet).toContain("Dogs bark at the postman.")
  for (const hostile of ["\0", "🚗🚗", "a".repeat(10_000), "\ud800"]) await search(hostile)
  if (embedding.kind === "embedder") await expectSameAloneAndTogether(embedding.embedder)
  await store.close()
})

/** A query is embedded by itself, entries are embedded together: only what is done alike can be compared. */
async function expectSameAloneAndTogether({ embed }: Embedder): Promise<void> {
  const { signal } = new AbortController()
  const texts = ["car", "Which cake would a girl like?", "🚗 \ud800", "a word ".repeat(200), "car"]
  const together = await embed(texts, signal)
  for (const [at, text] of texts.entries()) {
    const [alone] = await embed([text], signal)
    const likeness = alone?.reduce(
      (sum, value, place) => sum + value * (together[at]?.[place] ?? 0),
      0,
    )
    expect(likeness).toBeCloseTo(1, 5)
  }
}

/** Counts letters, so that texts with like letters are alike; and remembers what it was asked. */
function letterCounter(id: string, asked: string[] = []): Embedder {
  return {
    id,
    async embed(texts) {
      asked.push(...texts)
      if (texts.includes("poison")) throw new Error("this text is refused")
      return texts.map((text) => {
        const counts = new Float32Array(26)
        for (const letter of text.toLowerCase()) {
          const at = letter.charCodeAt(0) - 97
          if (at in counts) counts[at] = (counts[at] ?? 0) + 1
        }
        return counts
      })
    },
    close: async () => {},
  }
}

it("Y14: what was written before a crash, or under another embedder, is embedded by the next search", async () => {
  const first = await open("later.db", letterCounter("one"))
  await append(first, "abc abc")
  await append(first, "xyz")
  // Closed before its embedding has started, as a process that is killed.
  await first.close()
  for (const id of ["one", "two", "one"]) {
    const asked: string[] = []
    const store = await open("later.db", letterCounter(id, asked))
    const found = await store.search({ query: "cba", limit: 1, mode: "vector" })
    expect(found).toMatchObject({ hits: [{ snippet: "abc abc" }], warnings: [] })
    await store.search({ query: "cba", limit: 1, mode: "vector" })
    expect(asked.filter((text) => text === "xyz").length).toBeLessThanOrEqual(1)
    await store.close()
  }
})

it("Y14: the query is being embedded before its words are looked for, so that both take place at once", async () => {
  const asked: string[] = []
  const store = await open("at-once.db", letterCounter("one", asked))
  const searching = store.search({ query: "abc", limit: 1, mode: "hybrid" })
  // Looking for words leaves no moment for anything else, so it has to be under way by now.
  expect(asked).toEqual(["abc"])
  await searching
  await store.close()
})

/** Another process, with an embedder of the same kind, that does what it is told. */
function startOther(file: string) {
  const module = new URL("./sqlite-memory.ts", import.meta.url).href
  const script = `
    import { createInterface } from "node:readline"
    const { sqliteMemory } = await import(${JSON.stringify(module)})
    const letterCounter = ${letterCounter}
    const embedding = { kind: "embedder", embedder: letterCounter("one") }
    const store = await sqliteMemory({ file: ${JSON.stringify(join(directory, file))}, embedding })
    for await (const line of createInterface({ input: process.stdin })) {
      const [name, ...values] = JSON.parse(line)
      console.log(JSON.stringify(await store[name](...values)))
    }
    await store.close()`
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
    stdio: ["pipe", "pipe", "inherit"],
  })
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return {
    async tell(name: keyof MemoryStore, ...values: readonly unknown[]) {
      child.stdin.write(`${JSON.stringify([name, ...values])}\n`)
      return JSON.parse(String((await answers.next()).value))
    },
    async end() {
      child.stdin.end()
      if (child.exitCode === null) await once(child, "exit")
    },
  }
}

it("Y14: what another process has embedded or removed is seen by the next search", async () => {
  const asked: string[] = []
  const store = await open("two.db", letterCounter("one", asked))
  const search = async () =>
    (await store.search({ query: "cab", limit: 3, mode: "vector" })).hits.map((hit) => hit.snippet)
  await append(store, "xyz")
  expect(await search()).toEqual(["xyz"])
  const other = startOther("two.db")
  const question = { query: "a", limit: 1, mode: "vector" }
  const write = { kind: "append", namespace: "notes", content: "abc abc" }
  for (let round = 0; round < 2; round += 1) {
    const { id } = await other.tell("write", write)
    // It embeds what it has written, so that here nothing is pending.
    await other.tell("search", question)
    expect(await search()).toEqual(["abc abc", "xyz"])
    expect(await other.tell("remove", "notes", id)).toBe(1)
    expect(await search()).toEqual(["xyz"])
  }
  expect(asked).not.toContain("abc abc")
  await other.end()
  await store.close()
})

it("Y14: a text that can't be embedded holds up no other, and is found by keyword", async () => {
  const store = await open("poison.db", letterCounter("one"))
  for (const content of ["aaa", "poison", "bbb"]) await append(store, content)
  const search = () => store.search({ query: "ab poison", limit: 10, mode: "hybrid" })
  await search()
  await search()
  await expect.poll(async () => (await search()).hits.map((hit) => hit.similarity)).toContain(null)
  const { hits, warnings } = await search()
  expect(hits.filter((hit) => hit.matchedBy.includes("vector"))).toHaveLength(2)
  expect(hits.find(({ snippet }) => snippet === "poison")?.matchedBy).toEqual(["keyword"])
  expect(warnings).toEqual(["1 recent pieces of memory are so far found by keyword only."])
  await store.close()
})

it("Y14: without an embedder, hybrid says that it looked for words only and vector is unavailable", async () => {
  const because = "Nothing is installed."
  const embedding = { kind: "none", because } as const
  const store = await sqliteMemory({ file: join(directory, "none.db"), embedding })
  await append(store, "the moon")
  const found = await store.search({ query: "moon", limit: 10, mode: "hybrid" })
  expect(found).toMatchObject({ hits: [{ score: 1 }], warnings: [`By keyword only. ${because}`] })
  const vector = store.search({ query: "moon", limit: 10, mode: "vector" })
  await expect(vector).rejects.toMatchObject({ kind: "unavailable", message: because })
  await store.close()
})

interface Request {
  readonly authorization: string | undefined
  readonly body: { readonly model: string; readonly input: readonly string[] }
}

async function startEndpoint(statuses: number[]) {
  const requests: Request[] = []
  const server = createServer(async (request: IncomingMessage, response) => {
    const text = (await request.toArray()).join("")
    const body = JSON.parse(text)
    requests.push({ authorization: request.headers.authorization, body })
    response.statusCode = statuses.shift() ?? 200
    const vectors = await letterCounter("").embed(body.input, AbortSignal.timeout(1_000))
    const data = vectors.map((vector, index) => ({ index, embedding: [...vector] })).reverse()
    response.end(JSON.stringify({ data }))
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  return { requests, server, url: `http://127.0.0.1:${port}/v1/` }
}

it("Y14: an OpenAI-compatible endpoint embeds, is asked again when busy, and may fail", async () => {
  const { requests, server, url } = await startEndpoint([429, 503])
  const endpoint = { kind: "endpoint", url, model: "small", key: "k" } as const
  const file = join(directory, "endpoint.db")
  const store = await sqliteMemory({ file, embedding: chooseEmbedding(endpoint) })
  await append(store, "abc")
  await append(store, "xyz")
  const search = () => store.search({ query: "cab", limit: 1, mode: "hybrid" })
  expect(await search()).toMatchObject({ hits: [{ snippet: "abc" }], warnings: [] })
  expect(requests[0]).toMatchObject({ authorization: "Bearer k", body: { model: "small" } })
  expect(requests.length).toBeLessThanOrEqual(2 + memoryLimits.endpointTries)
  server.close()
  server.closeAllConnections()
  const failed = await search()
  expect(failed.warnings).toEqual([
    `By keyword only. Search by meaning failed: ${new URL(url).host} can't be reached.`,
  ])
  await store.close()
})
