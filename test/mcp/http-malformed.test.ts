import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type HttpGround, openHttpGround } from "./http-ground.ts"
import { connectOlder, newer, type RawMessage, type RawRequest, send } from "./raw-client.ts"

type Headers = Readonly<Record<string, string>>

let ground: HttpGround
/** Of a session of each version. */
let older: Headers
let oldest: Headers
beforeAll(async () => {
  ground = await openHttpGround()
  older = (await connectOlder(ground)).headers
  oldest = (await connectOlder(ground, {}, "2025-03-26")).headers
})
afterAll(() => ground[Symbol.asyncDispose]())

/** Status, and of each message its id and what it says: an error's code, or that there is a result. */
async function answerTo(sent: RawRequest) {
  const answer = await send(ground, sent)
  await answer.ended
  const said = ({ id, error, result }: RawMessage) => [id, error?.code ?? (result && "result")]
  return [answer.status, ...answer.messages().flatMap(said)]
}

const message = (fields: object) => JSON.stringify({ jsonrpc: "2.0", ...fields })
const ping = message({ id: 1, method: "ping" })
const initialize = {
  id: 9,
  method: "initialize",
  params: {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "again", version: "1.0.0" },
  },
}
const deep = "[".repeat(100_000) + "]".repeat(100_000)

describe("a client of 2025-11-25 that sends", () => {
  const badBodies: readonly [string, string, readonly unknown[]][] = [
    ["nothing", "", [400, null, -32700]],
    ["no JSON", "{", [400, null, -32700]],
    ["a number", "42", [400, null, -32600]],
    ["a text", '"ping"', [400, null, -32600]],
    ["null", "null", [400, null, -32600]],
    ["an empty object", "{}", [400, null, -32600]],
    ["an empty array", "[]", [400, null, -32600]],
    ["an array of messages", `[${ping}]`, [400, null, -32600]],
    ["another protocol", '{"jsonrpc":"1.0","id":7,"method":"ping"}', [400, 7, -32600]],
    ["an id of null", message({ id: null, method: "ping" }), [400, null, -32600]],
    ["an id that is an object", message({ id: {}, method: "ping" }), [400, null, -32600]],
    ["an id that is a fraction", message({ id: 1.5, method: "ping" }), [400, null, -32600]],
    ["parameters in a list", message({ id: 8, method: "ping", params: [1] }), [400, 8, -32600]],
    ["a method that is a number", message({ id: 8, method: 5 }), [400, 8, -32600]],
    ["neither method nor result", message({ id: 8 }), [400, 8, -32600]],
    ["a result that is none", message({ id: 8, result: 5 }), [400, 8, -32600]],
    ["a method nobody has", message({ id: 9, method: "x" }), [200, 9, -32601]],
    ["a call of nothing", message({ id: 9, method: "tools/call" }), [200, 9, -32602]],
    ["a second initialize", message(initialize), [400, null, -32600]],
    ["a notification nobody knows", message({ method: "notifications/x" }), [202]],
    ["an answer that nobody waits for", message({ id: 99, result: {} }), [202]],
    [
      "what is nested deep",
      `{"jsonrpc":"2.0","id":9,"method":"ping","params":{"a":${deep}}}`,
      [200, 9, "result"],
    ],
  ]

  it.each(badBodies)("%s is answered with status and code", async (_, body, expected) => {
    expect(await answerTo({ body, headers: older })).toEqual(expected)
  })

  it("F20: other types, versions, methods and sessions than it should gets the status of each", async () => {
    const withHeaders = (more: Headers) => answerTo({ body: ping, headers: { ...older, ...more } })
    expect(await withHeaders({ "content-type": "text/plain" })).toEqual([415, null, -32000])
    expect(await withHeaders({ "content-type": "application/json-patch+json" })).toEqual([
      415,
      null,
      -32000,
    ])
    expect(await withHeaders({ "content-type": "" })).toEqual([415, null, -32000])
    expect(await withHeaders({ "content-type": "Application/JSON; charset=utf-8" })).toEqual([
      200,
      1,
      "result",
    ])
    expect(await withHeaders({ accept: "application/json" })).toEqual([406, null, -32000])
    expect(await withHeaders({ accept: "text/html" })).toEqual([406, null, -32000])
    expect(await withHeaders({ "mcp-protocol-version": "1999-01-01" })).toEqual([400, null, -32000])
    expect(await withHeaders({ "mcp-session-id": "another" })).toEqual([404, null, -32000])
    expect(await answerTo({ body: ping })).toEqual([400, null, -32600])
    expect(await answerTo({ method: "PUT", headers: older })).toEqual([405, null, -32000])
    expect(await answerTo({ headers: {} })).toEqual([400, null, -32600])
    expect(await answerTo({ headers: { ...older, accept: "text/html" } })).toEqual([
      406,
      null,
      -32000,
    ])
    expect(await withHeaders({ "x-huge": "x".repeat(20_000) })).toEqual([431])
  })
})

describe("a client of 2025-03-26, which has arrays of messages, that sends", () => {
  it.each<[string, string, readonly unknown[]]>([
    ["two", `[${ping},${message({ id: 2, method: "ping" })}]`, [200, 1, "result", 2, "result"]],
    ["notifications only", `[${message({ method: "notifications/x" })}]`, [202]],
    ["one that is none among them", `[${ping},5]`, [400, null, -32600]],
    ["none", "[]", [400, null, -32600]],
    ["an array in an array", `[[${ping}]]`, [400, null, -32600]],
    ["too many", `[${Array(101).fill(ping).join()}]`, [400, null, -32600]],
  ])("%s is answered", async (_, body, expected) => {
    expect(await answerTo({ body, headers: oldest })).toEqual(expected)
  })
})

it("F20: a client of 2026-07-28 that says one thing in its headers and another in its body is told so", async () => {
  const list = newer("tools/list")
  const changed = (more: Headers, body: unknown = list.body) =>
    answerTo({ body, headers: { ...list.headers, ...more } })
  expect(await changed({})).toEqual([200, 1, "result"])
  expect(await changed({ accept: "*/*" })).toEqual([200, 1, "result"])
  expect(await changed({ accept: "application/json" })).toEqual([406, null, -32000])
  expect(await changed({ "content-type": "text/plain" })).toEqual([415, null, -32000])
  expect(await changed({ "mcp-method": "tools/call" })).toEqual([400, 1, -32020])
  expect(await changed({ "mcp-protocol-version": "2025-11-25" })).toEqual([400, 1, -32020])
  expect(await answerTo({ body: list.body })).toEqual([400, 1, -32020])
  expect(await changed({}, [list.body])).toEqual([400, null, -32600])
  expect(await changed({}, { ...(list.body as object), id: null })).toEqual([400, null, -32600])
  expect(await changed({}, message({ id: 1, method: "tools/list" }))).toEqual([400, 1, -32602])
  const future = JSON.stringify(list.body).replace("2026-07-28", "2031-01-01")
  expect(await changed({ "mcp-protocol-version": "2031-01-01" }, future)).toEqual([400, 1, -32022])
  expect(await answerTo(newer("x/y"))).toEqual([404, 1, -32601])
  expect(await answerTo(newer("tools/call"))).toEqual([200, 1, -32602])
  // A name as long as this is only cut short.
  expect(await answerTo(newer("tools/list", {}, { name: "n".repeat(100_000) }))).toEqual([
    200,
    1,
    "result",
  ])
})
