import { readdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { openToolkeep } from "../../src/session/index.ts"
import { type HttpGround, openHttpGround } from "../mcp/http-ground.ts"
import { connectOlder, newer, type RawAnswer, send } from "../mcp/raw-client.ts"

const second = "another-token-of-the-test"

async function resultOf(answering: Promise<RawAnswer>) {
  const answer = await answering
  await answer.ended
  const message = answer.messages().at(-1)
  return message?.result?.structuredContent ?? message?.result ?? message
}

type Call = (tool: string, input: object) => ReturnType<typeof resultOf>
type At = Pick<HttpGround, "url" | "token">

/** How a client of each generation calls a tool. */
const generations = [
  {
    generation: "2025-11-25",
    async connect(at: At): Promise<Call> {
      const { post } = await connectOlder(at)
      return (name, input) =>
        resultOf(post({ id: 2, method: "tools/call", params: { name, arguments: input } }))
    },
  },
  {
    generation: "2026-07-28",
    connect: async (at: At): Promise<Call> => {
      return (name, input) => resultOf(send(at, newer("tools/call", { name, arguments: input })))
    },
  },
]

const note = { namespace: "user", content: "Prefers tea to coffee." }
const remembered = (call: Call) => call("memory_search", { query: "tea", mode: "keyword" })

describe.each(generations)("clients of $generation", ({ connect }) => {
  let ground: HttpGround
  beforeAll(async () => {
    ground = await openHttpGround({ token: second })
  })
  afterAll(() => ground[Symbol.asyncDispose]())

  it("Y14: each token has a memory of its own, and none of it has the token's name on the disk", async () => {
    const own = await connect(ground)
    const other = await connect({ ...ground, token: second })
    expect(await own("memory_write", note)).toMatchObject({ ok: true, result: { entry_count: 1 } })
    expect(await remembered(other)).toMatchObject({ ok: true, result: { results: [] } })
    expect(await other("memory_list", {})).toMatchObject({ result: { namespaces: [] } })
    const written = await other("memory_write", { ...note, content: "Prefers coffee to tea." })
    expect(written).toMatchObject({ ok: true, result: { entry_count: 1 } })
    expect(await other("memory_delete", { namespace: "user" })).toMatchObject({ ok: true })
    expect(await own("memory_read", { namespace: "user" })).toMatchObject({
      result: { entries: [{ content: note.content }] },
    })
    // Another client of the same token remembers as well.
    const again = await connect({ ...ground, url: `${ground.url}?session=again` })
    expect(await remembered(again)).toMatchObject({ result: { results: [{ namespace: "user" }] } })
    const files = await readdir(ground.home, { recursive: true })
    expect(files.filter((file) => file.includes(second) || file.includes(ground.token))).toEqual([])
    expect(files.filter((file) => /^memory\/[0-9a-f]{64}\.db$/.test(file))).toHaveLength(1)
  })

  it("Y14: the first token's memory is the one of who runs the server", async () => {
    const own = await connect(ground)
    await own("memory_write", { ...note, namespace: "shared-with-me" })
    await using keep = await openToolkeep({ host: "memory", home: ground.home })
    expect(await keep.session().call("memory.read", { namespace: "shared-with-me" })).toMatchObject(
      {
        ok: true,
      },
    )
  })

  it("F20: a session's name is one token's: with another token it leads to other sandboxes", async () => {
    const url = `${ground.url}?session=shop`
    const own = await connect({ ...ground, url })
    const same = await connect({ ...ground, url })
    const other = await connect({ ...ground, url, token: second })
    await own("file_write", { path: "a.txt", content: "mine" })
    expect(await same("file_read", { path: "a.txt" })).toMatchObject({ result: { text: "mine" } })
    expect(await other("file_read", { path: "a.txt" })).toMatchObject({ kind: "not_found" })
  })
})

it("Y14: all tokens have one memory where toolkeep.yaml says so", async () => {
  const policy = { memory: { shared: true } }
  await using ground = await openHttpGround({ token: second, policy })
  const [, { connect }] = generations as [unknown, (typeof generations)[1]]
  await (await connect({ ...ground, token: second }))("memory_write", note)
  expect(await remembered(await connect(ground))).toMatchObject({
    result: { results: [{ namespace: "user" }] },
  })
})

it("F20: clients of the newer generation are apart by the session's name, whatever they call themselves", async () => {
  await using ground = await openHttpGround({ token: second })
  const at = (session: string, name: string) => (tool: string, input: object) => {
    const url = session === "" ? ground.url : `${ground.url}?session=${encodeURIComponent(session)}`
    return resultOf(
      send({ ...ground, url }, newer("tools/call", { name: tool, arguments: input }, { name })),
    )
  }
  const content = { path: "a.txt", content: "mine" }
  const readAs = (session: string, name: string) =>
    at(session, name)("file_read", { path: "a.txt" })
  await at("", "agent")("file_write", content)
  // Without a session's name, the client's own name is all there is.
  expect(await readAs("", "agent")).toMatchObject({ result: { text: "mine" } })
  const long = "x".repeat(99)
  await at(`${long}1`, "agent")("file_write", content)
  const others = [
    ["", "another"],
    ["", `agent${" ".repeat(200)}`],
    ["one", "agent"],
    ["client agent", "agent"],
    [`${long}2`, "agent"],
  ] as const
  for (const [session, name] of others) {
    expect(await readAs(session, name)).toMatchObject({ kind: "not_found" })
  }
  for (const session of ["x".repeat(101), "x".repeat(5_000)]) {
    expect(await readAs(session, "agent")).toMatchObject({ error: { code: -32_600 } })
  }
  const empty = await send({ ...ground, url: `${ground.url}?session=` }, newer("tools/list"))
  expect(empty.status).toBe(400)
})

it("F20: the names on the disk say nothing about the tokens", async () => {
  await using ground = await openHttpGround({ token: second })
  await resultOf(send({ ...ground, token: second }, newer("tools/call", { name: "memory_list" })))
  const files = await readdir(ground.home, { recursive: true, withFileTypes: true })
  for (const file of files.filter((one) => one.isFile() && one.name !== "token")) {
    expect(await readFile(join(file.parentPath, file.name), "latin1")).not.toContain(second)
  }
})
