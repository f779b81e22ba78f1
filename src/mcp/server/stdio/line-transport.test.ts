import { createInterface } from "node:readline"
import { expect, it } from "vitest"
import { type McpFixture, openMcpFixture } from "../../../../test/support/mcp/mcp-fixture.ts"
import { serverLimits } from "../../limits.ts"

/** A client that writes what it likes. */
function speak(ground: McpFixture) {
  const lines = createInterface({ input: ground.output })[Symbol.asyncIterator]()
  return {
    write: (text: string) => ground.input.write(`${text}\n`),
    next: async () => JSON.parse((await lines.next()).value ?? "null"),
  }
}

const initialize = JSON.stringify({
  jsonrpc: "2.0",
  id: 0,
  method: "initialize",
  params: {
    protocolVersion: "2025-06-18",
    capabilities: {},
    clientInfo: { name: "raw", version: "1" },
  },
})

const ping = (id: number) => JSON.stringify({ jsonrpc: "2.0", id, method: "ping" })

it.each<[string, string, object]>([
  ["no JSON", '{"jsonrpc": "2.0", ', { id: null, error: { code: -32700 } }],
  ["a number", "42", { id: null, error: { code: -32600 } }],
  ["an array of messages", `[${ping(1)}]`, { id: null, error: { code: -32600 } }],
  [
    "another protocol",
    '{"jsonrpc":"1.0","id":7,"method":"ping"}',
    { id: 7, error: { code: -32600 } },
  ],
  ["parameters in a list", '{"jsonrpc":"2.0","id":8,"method":"ping","params":[1]}', { id: 8 }],
  ["an id that is none", '{"jsonrpc":"2.0","id":{},"method":"ping"}', { error: { code: -32600 } }],
  ["a method nobody has", '{"jsonrpc":"2.0","id":9,"method":"x"}', { error: { code: -32601 } }],
  [
    "a call of nothing",
    '{"jsonrpc":"2.0","id":9,"method":"tools/call"}',
    { error: { code: -32602 } },
  ],
  [
    "a call of what is no name",
    '{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":5}}',
    { error: { code: -32602 } },
  ],
  [
    "arguments in a list",
    '{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"echo","arguments":[1]}}',
    { error: { code: -32602 } },
  ],
  [
    "a method of the protocol that is not offered",
    '{"jsonrpc":"2.0","id":9,"method":"prompts/list"}',
    { error: { code: -32601 } },
  ],
])("%s is answered with an error, and the server goes on", async (_, line, answer) => {
  await using ground = await openMcpFixture()
  const client = speak(ground)
  client.write(initialize)
  expect(await client.next()).toMatchObject({ id: 0, result: { serverInfo: { name: "toolkeep" } } })
  client.write(line)
  expect(await client.next()).toMatchObject(answer)
  client.write(ping(10))
  expect(await client.next()).toMatchObject({ id: 10, result: {} })
})

it("a huge message is refused without being held, and the server goes on", async () => {
  await using ground = await openMcpFixture()
  const client = speak(ground)
  client.write(initialize)
  await client.next()
  const before = process.memoryUsage().rss
  const piece = Buffer.alloc(1024 ** 2, "a")
  for (let written = 0; written < serverLimits.messageBytes * 6; written += piece.length) {
    if (!ground.input.write(piece)) {
      await new Promise((resolve) => ground.input.once("drain", resolve))
    }
  }
  client.write("")
  expect(await client.next()).toMatchObject({
    id: null,
    error: { code: -32600, message: "The message is larger than 16 MiB and was not read." },
  })
  expect(process.memoryUsage().rss - before).toBeLessThan(serverLimits.messageBytes * 4)
  client.write(ping(11))
  expect(await client.next()).toMatchObject({ id: 11, result: {} })
})

/** As long as what a tool is listed with beside its description. */
const meta = { "anthropic/maxResultSizeChars": serverLimits.listedCharacters }

it("a client that never reads is not read from either, and gets everything once it does", async () => {
  await using ground = await openMcpFixture()
  const client = speak(ground)
  client.write(initialize)
  await client.next()
  ground.output.pause()
  const count = 1_000
  for (let id = 1; id <= count; id += 1) {
    ground.input.write(`${JSON.stringify({ jsonrpc: "2.0", id, method: "tools/list" })}\n`)
  }
  await new Promise((resolve) => setTimeout(resolve, 300))
  const held = ground.output.readableLength + ground.output.writableLength
  const listed = ground.session.tools({ for: "mcp" }).map((tool) => ({ ...tool, _meta: meta }))
  const one = JSON.stringify(listed).length
  expect(held).toBeLessThan((serverLimits.requests + 2) * (one + 100))
  ground.output.resume()
  for (let id = 1; id <= count; id += 1) expect(await client.next()).toMatchObject({ id })
})
