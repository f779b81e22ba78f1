import { mkdtemp, rm } from "node:fs/promises"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import { type CallContext, failureFrom } from "../../../src/contract/index.ts"
import { createEgressGuard } from "../../../src/sandbox/index.ts"
import { artifactDirectory } from "../../../src/store/index.ts"
import { fetchPage } from "../../../src/tools/web/fetch-page.ts"
import { publicAddress } from "../../support/sandbox/stand-in-fixture.ts"
import { createRandom } from "../random.ts"
import {
  countSockets,
  expectSockets,
  type HostileServer,
  openHostileServer,
  runCases,
  watchEscapes,
} from "./hostile-ground.ts"
import { hostileAnswer } from "./hostile-http.ts"

let server: HostileServer
/** What is no text is kept as a file. */
let directory: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "toolkeep-fuzz-"))
  server = await openHostileServer()
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  await rm(directory, { recursive: true })
})

const context: CallContext = {
  callId: "call_test",
  tool: "web.fetch",
  signal: new AbortController().signal,
  terminated: new AbortController().signal,
  session: { name: "test", entries: async () => [] },
  workspace: () => Promise.reject(new Error("no sandbox")),
  dispatch: () => Promise.reject(new Error("no sandbox")),
  output: () => {},
  warn: () => {},
}

/** "ok", or the kind of a failure. */
async function fetched(method: "GET" | "HEAD" | "POST"): Promise<string> {
  const dialer = {
    lookup: async () => [publicAddress],
    connect: () => connect({ host: "127.0.0.1", port: server.port, allowHalfOpen: true }),
    ownAddresses: () => [],
  }
  const input = {
    ...{ url: "http://a.example/page", method, headers: {}, format: "raw" as const },
    ...{ timeout_ms: 20_000, max_bytes: 5_000 },
    ...(method === "POST" && { body: "body" }),
  }
  try {
    await fetchPage(input, {
      reach: createEgressGuard({}, dialer),
      version: "0.0.0",
      textBytes: 50_000,
      artifacts: artifactDirectory(directory),
      work: { ask: () => Promise.reject(new Error("nothing to convert")) },
      context,
    })
    return "ok"
  } catch (error) {
    const { kind, message } = failureFrom(error)
    expect(message).not.toMatch(/\n|assert/)
    return kind
  }
}

it("Y14: web.fetch answers 1,000 hostile servers with a page or a failure, each in one line", async () => {
  using watch = watchEscapes()
  const before = countSockets()
  let connection = 0
  server.setScripts(() => hostileAnswer(createRandom(7_000_009 + connection++)))
  const counts = new Map<string, number>()
  await runCases({ count: 1_000, seed: 31 }, async (random) => {
    const kind = await fetched(random.pick(["GET", "GET", "HEAD", "POST"]))
    counts.set(kind, (counts.get(kind) ?? 0) + 1)
  })
  server.setScripts(null)
  expect(watch.escaped).toEqual([])
  expect(await fetched("GET")).toBe("ok")
  await expectSockets(before)
  expect(counts.get("ok")).toBeGreaterThan(50)
  const expected = ["ok", "execution_error", "unavailable", "rejected"]
  expect([...counts.keys()].filter((kind) => !expected.includes(kind))).toEqual([])
}, 120_000)
