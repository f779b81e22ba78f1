import { mkdtemp, rm } from "node:fs/promises"
import { connect, type Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { systemClock } from "../../../src/kit/index.ts"
import { createEgressGuard } from "../../../src/sandbox/index.ts"
import { createNetworkProxy } from "../../../src/sandbox/network/create-network-proxy.ts"
import type { Dialer } from "../../../src/sandbox/network/dialer.ts"
import { parseDomainRules } from "../../../src/sandbox/network/domain-rule.ts"
import { publicAddress } from "../../support/sandbox/stand-in-fixture.ts"
import { createRandom } from "../random.ts"
import {
  Answers,
  countSockets,
  expectSockets,
  type HostileServer,
  openHostileServer,
  runCases,
  visit,
  watchEscapes,
} from "./hostile-ground.ts"
import { hostileAnswer, hostileRequest, hostileUpgrade, type Script } from "./hostile-http.ts"

const host = "allowed.example"
const credentials = { username: "toolkeep", password: "secret" }
const authorization = `Proxy-Authorization: Basic ${Buffer.from("toolkeep:secret").toString("base64")}\r\n`

let server: HostileServer
let dialer: Dialer
beforeAll(async () => {
  server = await openHostileServer()
  dialer = {
    lookup: async () => [publicAddress],
    connect: () => connect({ host: "127.0.0.1", port: server.port, allowHalfOpen: true }),
    ownAddresses: () => ["127.0.0.1"],
  }
})
afterAll(() => server[Symbol.asyncDispose]())

interface Ground extends AsyncDisposable {
  dial(): Socket
  /** What every request has to have. */
  readonly lines: string
}

async function openAllowList(): Promise<Ground> {
  const directory = await mkdtemp(join(tmpdir(), "toolkeep-fuzz-"))
  const path = join(directory, "proxy")
  const rules = parseDomainRules([host])
  const proxy = createNetworkProxy({ rules, dialer, clock: systemClock, onDecision: () => {} })
  await proxy.listen({ path })
  return {
    dial: () => connect(path),
    lines: "",
    async [Symbol.asyncDispose]() {
      await proxy.close()
      await rm(directory, { recursive: true })
    },
  }
}

async function openBrowserProxy(): Promise<Ground> {
  const { port, close } = await createEgressGuard({}, dialer).openProxy({ credentials })
  const dial = () => connect({ host: "127.0.0.1", port })
  return { dial, lines: authorization, [Symbol.asyncDispose]: close }
}

describe.each([
  ["an allow-list sandbox's proxy", openAllowList, 1, 800],
  ["the browser's proxy", openBrowserProxy, 2, 300],
] as const)("%s", (_name, open, seed, count) => {
  let ground: Ground
  beforeAll(async () => {
    ground = await open()
  })
  afterAll(() => ground[Symbol.asyncDispose]())

  const asking = (method: string, more = "Connection: close\r\n", body = ""): Script => ({
    pieces: [
      Buffer.from(
        `${method} http://${host}/page HTTP/1.1\r\nHost: ${host}\r\n${ground.lines}${more}\r\n${body}`,
        "latin1",
      ),
    ],
    ending: "stay",
  })

  /** Cases one and all, after which it serves as if nothing had been. */
  async function survive(
    kind: number,
    scripts: ((index: number) => Script) | null,
    say: (random: ReturnType<typeof createRandom>, index: number) => Script,
  ): Promise<void> {
    using watch = watchEscapes()
    const before = countSockets()
    let connection = 0
    server.setScripts(scripts && (() => scripts(connection++)))
    const answers = new Answers()
    await runCases({ count, seed: seed * 10 + kind }, async (random, index) => {
      answers.count(
        await visit(ground.dial(), say(random, index), random.pick([1, 10, 60, 60, 60])),
      )
    })
    server.setScripts(null)
    expect(watch.escaped).toEqual([])
    const plain = await visit(ground.dial(), asking("GET"))
    expect(plain).toMatch(/^HTTP\/1\.1 200 OK\r\n.*plain$/s)
    await expect.poll(() => server.open.size).toBe(0)
    await expectSockets(before)
    expect(answers.passed()).toBeGreaterThan(0.03)
  }

  it("C18: lives through hostile answers", async () => {
    const answerOf = (index: number) => hostileAnswer(createRandom(seed * 1_000_003 + index))
    await survive(1, answerOf, (random) =>
      random.pick([
        asking("GET"),
        asking("GET", ""),
        asking("HEAD"),
        asking("POST", "Connection: close\r\nContent-Length: 4\r\n", "body"),
        asking("POST", "Transfer-Encoding: chunked\r\n", "4\r\nbody\r\n"),
        asking("POST", "Expect: 100-continue\r\nContent-Length: 4\r\n", "body"),
      ]),
    )
  }, 120_000)

  it("C18: lives through hostile answers to an offer of another protocol", async () => {
    const answerOf = (index: number) => hostileUpgrade(createRandom(seed * 2_000_003 + index))
    await survive(2, answerOf, (random) =>
      asking(
        "GET",
        `Connection: Upgrade, close\r\nUpgrade: ${random.pick(["websocket", "h2c", ""])}\r\n`,
      ),
    )
  }, 120_000)

  it("C18: lives through hostile requests", async () => {
    await survive(3, null, (random) =>
      hostileRequest(random, { target: `http://${host}/page`, host, lines: ground.lines }),
    )
  }, 120_000)

  it("C18: lives through hostile tunnels", async () => {
    const answerOf = (index: number) => hostileAnswer(createRandom(seed * 3_000_003 + index))
    await survive(4, answerOf, (random) =>
      hostileRequest(random, {
        method: "CONNECT",
        target: `${host}:443`,
        host,
        lines: ground.lines,
      }),
    )
  }, 120_000)
})
