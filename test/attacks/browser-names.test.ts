import { createServer, type Server } from "node:http"
import { type AddressInfo, connect } from "node:net"
import type { Page } from "playwright-core"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { networkLimits } from "../../src/sandbox/limits.ts"
import { type Chromium, startChromium } from "../../src/tools/browser/chromium/start-chromium.ts"
import { PageEvents } from "../../src/tools/browser/page/page-events.ts"
import { publicAddress } from "../support/sandbox/stand-in-fixture.ts"

/** Of the page itself, which also asks for its icon whenever it likes. */
const pageAddress = "93.184.215.15"
/** What names lead to: always the same, or one answer after another. */
const names = new Map<string, () => readonly string[]>()
const reached: string[] = []
let server: Server
let chromium: Chromium
let page: Page

beforeAll(async () => {
  server = createServer(({ url = "/" }, response) => {
    const to = new URL(url, "http://x").searchParams.get("to")
    if (to === null) response.setHeader("Content-Type", "text/html").end("<title>Page</title>")
    else response.writeHead(302, { Location: to }).end()
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  const dialer = {
    async lookup(name: string) {
      const found = names.get(name)
      if (!found) throw new Error("ENOTFOUND")
      return found()
    },
    connect(address: string) {
      reached.push(address)
      return connect({ host: "127.0.0.1", port, allowHalfOpen: true })
    },
    ownAddresses: () => ["127.0.0.1", "8.8.4.4"],
  }
  chromium = await startChromium({
    settings: {},
    previews: { url: () => Promise.reject(new Error("none")), gave: () => false },
    events: new PageEvents(),
    signal: new AbortController().signal,
    dialer,
  })
  page = await chromium.context.newPage()
}, 120_000)
afterAll(async () => {
  await chromium.close()
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
}, 120_000)
beforeEach(async () => {
  names.set("page.example", () => [pageAddress])
  await page.goto("http://page.example/")
  reached.length = 0
})

/** Asks in every way that a page has, and resolves when each has failed or come back. */
async function askFor(...addresses: readonly string[]): Promise<void> {
  const asking = addresses.map((address) => `ask(${JSON.stringify(address)})`)
  await page.evaluate(`(async () => {
    const element = (name, url) => new Promise((resolve) => {
      const made = Object.assign(document.createElement(name), { onload: resolve, onerror: resolve, src: url })
      document.body.append(made)
    })
    const socket = (url) => new Promise((resolve) => {
      new WebSocket(url.replace("http", "ws")).onclose = resolve
    })
    const ask = (url) => Promise.all([
      fetch(url, { mode: "no-cors" }).catch(() => {}), socket(url), element("img", url), element("iframe", url),
    ])
    await Promise.all([${asking.join()}])
  })()`)
}

/** What was connected to, but for the page's own server. */
const others = () => new Set(reached.filter((address) => address !== pageAddress))

describe("a page, with a name server of its own,", () => {
  it("Y14: leads names to private addresses and to nonsense, alone and among public addresses", async () => {
    const addresses = [
      ...["127.0.0.1", "10.0.0.1", "169.254.169.254", "192.168.0.1", "100.64.0.1", "0.0.0.0"],
      ...["::1", "fd00::1", "fe80::1", "fe80::1%lo", "::ffff:127.0.0.1", "64:ff9b::7f00:1"],
      ...["8.8.4.4", "", "constructor", "localhost", "93.184.215.14:80", "\u0000"],
    ]
    for (const [index, address] of addresses.entries()) {
      names.set(`alone-${index}.example`, () => [address])
      names.set(`among-${index}.example`, () => [publicAddress, publicAddress, address])
    }
    await askFor(
      ...[...names.keys()].filter((name) => /^a/.test(name)).map((name) => `http://${name}/`),
    )
    expect(others()).toEqual(new Set())
  }, 120_000)

  it("Y14: changes what its own name leads to between two requests", async () => {
    let looks = 0
    names.set("page.example", () => (looks++ === 0 ? [publicAddress] : ["127.0.0.1"]))
    await page.goto("http://page.example/")
    await askFor("http://page.example/again", "http://page.example/more")
    expect(looks).toBeGreaterThan(1)
    expect(reached.filter((address) => address === publicAddress)).toHaveLength(1)
    expect(others()).toEqual(new Set([publicAddress]))
  }, 120_000)

  it("Y14: redirects to names and notations of this machine", async () => {
    names.set("inside.example", () => ["127.0.0.1"])
    const targets = [
      ...[
        "http://inside.example/",
        "http://localhost/",
        "http://a.localhost/",
        "http://2130706433/",
      ],
      ...[
        "http://0x7f.1/",
        "http://[::1]/",
        "http://[::ffff:7f00:1]/",
        "http://0/",
        "http://127.1/",
      ],
    ]
    const asked = targets.map((to) => `http://page.example/?to=${encodeURIComponent(to)}`)
    await askFor(...asked, ...targets)
    expect(reached.length).toBeGreaterThan(targets.length)
    expect(others()).toEqual(new Set())
  }, 120_000)

  it("Y14: answers with very many addresses: few of them are tried, and too many refuse the name", async () => {
    const some = (length: number) =>
      Array.from({ length }, (_, index) => `93.7.${(index >> 8) & 255}.${index & 255}`)
    const most = networkLimits.addresses
    names.set("bad.example", () => [...some(most - 1), "10.0.0.1"])
    names.set("more.example", () => some(most + 1))
    names.set("huge.example", () => some(100_000))
    await askFor("http://bad.example/", "http://more.example/", "http://huge.example/")
    expect(others()).toEqual(new Set())
    names.set("many.example", () => some(most))
    await askFor("http://many.example/")
    expect(others().size).toBeLessThanOrEqual(networkLimits.addressesTried)
    expect(others().size).toBeGreaterThan(0)
  }, 120_000)
})
