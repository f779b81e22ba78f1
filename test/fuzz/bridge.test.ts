import { join } from "node:path"
import { expect, it } from "vitest"
import { repositoryRoot } from "../../scripts/repository.ts"
import type { Envelope } from "../../src/contract/index.ts"
import { openBridge, scriptedServer } from "../support/mcp/bridge-fixture.ts"
import { serveOddly } from "./odd-http.ts"
import { createRandom } from "./random.ts"

function expectEnvelope(envelope: Envelope): void {
  expect(typeof envelope.ok).toBe("boolean")
  if (!envelope.ok) expect(envelope.message).not.toBe("")
  expect(JSON.parse(JSON.stringify(envelope))).toEqual(envelope)
}

const good = scriptedServer()
const stillGood = { ok: true, result: { content: [{ text: "still here" }] } }

it("Y15: 6,000 messages on pipes that are nearly right: every call has its envelope, and other servers go on", async () => {
  const file = join(repositoryRoot, "test/fuzz/odd-server.ts")
  const odd = (seed: number) => ({ command: process.execPath, args: [file, String(seed)] })
  const { session } = await openBridge({ mcpServers: { odd1: odd(1), odd2: odd(2), good } })
  await session.prepare()
  let answered = 0
  for (let round = 0; round < 25; round += 1) {
    const calls = ["odd1", "odd2"].flatMap((name) =>
      Array.from({ length: 10 }, () =>
        session.call(`mcp:${name}:echo`, { text: "a" }, { timeoutMs: 10_000 }),
      ),
    )
    for (const envelope of await Promise.all(calls)) {
      expectEnvelope(envelope)
      if (envelope.ok) answered += 1
    }
    expect(await session.call("mcp:good:echo", { text: "still here" })).toMatchObject(stillGood)
  }
  expect(answered).toBeGreaterThan(100)
  expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false)
}, 600_000)

it("Y15: thousands of messages over HTTP that are nearly right, in JSON and in streams: every call has its envelope, and other servers go on", async () => {
  const random = createRandom(20261116)
  const { url, sent } = await serveOddly(random)
  let answered = 0
  // How many are ready and answer before they are cancelled depends on the machine: it goes on until enough did.
  for (let round = 0; round < 2 || answered <= 20; round += 1) {
    const names = Array.from({ length: 30 }, (_, index) => `odd${index}`)
    const odd = Object.fromEntries(names.map((name) => [name, { url: `${url}/${round}/${name}` }]))
    const { session, bridge } = await openBridge({
      mcpServers: { ...odd, good: { url: `${url}/good` } },
    })
    // Some are waited for until their time is over; nobody else waits for them.
    session.prepare().catch(() => {})
    expect(await session.call("mcp:good:echo", { text: "still here" })).toMatchObject(stillGood)
    const running = () => bridge.list().filter(({ state }) => state.kind === "ready").length
    await expect.poll(running).toBeGreaterThan(names.length / 4)
    const ready = bridge.list().flatMap(({ tools }) => tools.map(({ name }) => name))
    const calls = ready
      .filter(() => random.chance(0.4))
      .map((name) => session.start(name, { text: "a" }))
    // Those that are never answered are cancelled, and answer then.
    const enough = setTimeout(() => {
      for (const call of calls) call.cancel(new Error("This is long enough."))
    }, 3_000)
    const envelopes = await Promise.all(calls.map((call) => call.envelope))
    clearTimeout(enough)
    for (const envelope of envelopes) expectEnvelope(envelope)
    answered += envelopes.filter(({ ok }) => ok).length
    expect(await session.call("mcp:good:echo", { text: "still here" })).toMatchObject(stillGood)
  }
  expect(sent()).toBeGreaterThan(2_000)
  expect(answered).toBeGreaterThan(20)
  expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false)
}, 600_000)
