import { mkdtemp, rm } from "node:fs/promises"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { localHost } from "../../../src/sandbox/hosts/local/local-host.ts"
import { createPool } from "../../../src/sandbox/pool/create-pool.ts"
import { createPreviews } from "../../../src/sandbox/previews/create-previews.ts"
import { openPool } from "../../support/sandbox/pool-fixture.ts"
import { createRandom, type Random } from "../random.ts"
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
import { pathOf, startHostileInside } from "./server-inside.ts"

const webSocket = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: eA==\r\n"

function asking(page: URL, path = "/", lines = "Connection: close\r\n", method = "GET"): Script {
  const head = `${method} ${path} HTTP/1.1\r\nHost: ${page.host}\r\n${lines}\r\n`
  return { pieces: [Buffer.from(head)], ending: "stay" }
}

interface Cases {
  readonly page: URL
  readonly count: number
  readonly seed: number
  /** In turns. */
  readonly patience?: number
}

/** Cases one and all, after which the preview is shown as if nothing had been. */
async function survive(
  { page, count, seed, patience = 60 }: Cases,
  say: (random: Random) => Script,
): Promise<void> {
  using watch = watchEscapes()
  const dial = () => connect({ host: "127.0.0.1", port: Number(page.port) })
  const before = countSockets()
  const answers = new Answers()
  await runCases({ count, seed }, async (random) => {
    answers.count(
      await visit(dial(), say(random), random.pick([1, 10, patience, patience, patience])),
    )
  })
  server.setScripts(null)
  expect(watch.escaped).toEqual([])
  expect(await visit(dial(), asking(page))).toMatch(/^HTTP\/1\.1 200 OK\r\n.*plain$/s)
  await expectSockets(before)
  expect(answers.passed()).toBeGreaterThan(0.03)
}

let server: HostileServer
beforeAll(async () => {
  server = await openHostileServer()
})
afterAll(() => server[Symbol.asyncDispose]())

describe("the previews' server", () => {
  let page: URL
  const ends: (() => Promise<void>)[] = []
  beforeAll(async () => {
    const directory = await mkdtemp(join(tmpdir(), "toolkeep-fuzz-"))
    const pool = createPool(localHost({ directoryFor: (name) => join(directory, name) }))
    await pool.workspace("web")
    const previews = await createPreviews({ session: "fuzz", sandboxes: pool })
    page = new URL(await previews.url({ sandbox: "web", port: server.port }))
    ends.push(
      () => previews.close(),
      () => pool.destroy(),
      () => rm(directory, { recursive: true, force: true }),
    )
  })
  afterAll(async () => {
    for (const end of ends) await end()
  })

  it("C6: lives through hostile answers of the server inside", async () => {
    let connection = 0
    server.setScripts(() => hostileAnswer(createRandom(5_000_011 + connection++)))
    await survive({ page, count: 800, seed: 21 }, (random) =>
      asking(page, "/", undefined, random.pick(["GET", "GET", "HEAD", "OPTIONS"])),
    )
  }, 120_000)

  it("C6: lives through hostile answers to an offer of a WebSocket", async () => {
    let connection = 0
    server.setScripts(() => hostileUpgrade(createRandom(6_000_011 + connection++)))
    await survive({ page, count: 800, seed: 22 }, () => asking(page, "/", webSocket))
  }, 120_000)

  it("C6: lives through hostile browsers", async () => {
    const { host } = page
    await survive({ page, count: 800, seed: 23 }, (random) =>
      hostileRequest(random, { target: "/", host, lines: random.chance(0.3) ? webSocket : "" }),
    )
  }, 120_000)
})

it("C6: a server in a real sandbox ends nothing with what it answers", async () => {
  await using fixture = openPool()
  const port = await startHostileInside(await fixture.pool.workspace("web"))
  const previews = await createPreviews({ session: "inside", sandboxes: fixture.pool })
  const page = new URL(await previews.url({ sandbox: "web", port }))
  await survive({ page, count: 40, seed: 24, patience: 3_000 }, (random) =>
    random.chance(0.5)
      ? asking(page, pathOf(hostileAnswer(random)))
      : asking(page, pathOf(hostileUpgrade(random)), webSocket),
  )
  await previews.close()
}, 120_000)
