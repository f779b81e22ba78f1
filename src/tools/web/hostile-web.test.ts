import type { ServerResponse } from "node:http"
import { createServer } from "node:net"
import { pipeline, Readable, type Transform } from "node:stream"
import {
  constants,
  createBrotliCompress,
  createDeflateRaw,
  createGzip,
  createZstdCompress,
  gzipSync,
} from "node:zlib"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { watchTurns } from "../../../test/support/cpu-time.ts"
import { localBench, type ToolBench } from "../../../test/support/tools/tool-bench.ts"
import { fixed, openWeb, redirect, type Web } from "../../../test/support/tools/web-fixture.ts"
import { webLimits } from "../limits.ts"

const megabyte = 1024 ** 2

/** The same without an end, compressed: only a reader who stops ever gets an answer out of it. */
const bomb =
  (encoding: string, compress: () => Transform, content: Buffer = Buffer.alloc(megabyte)) =>
  (response: ServerResponse) => {
    response.writeHead(200, { "content-type": "text/plain", "content-encoding": encoding })
    const endless = Readable.from(
      (function* () {
        for (;;) yield content
      })(),
    )
    pipeline(endless, compress(), response, () => {})
  }

/** So many bytes of gzip that say nothing: no limit on what comes out of them is ever reached. */
const silence = Buffer.concat(Array.from({ length: 10_000 }, () => gzipSync("")))

const claiming = (encoding: string, content: string | Uint8Array) => (response: ServerResponse) =>
  response
    .writeHead(200, { "content-type": "text/plain", "content-encoding": encoding })
    .end(content)

const quickly = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }

/** Opens many elements in each other and closes none. */
const deep = `<html><body>${"<div>".repeat(5_000)}the words inside</body></html>`
/** Takes seconds to be read. */
const slow = `<html><body><article>${'<p>A <b>duck</b> <a href="/">swims</a>.</p>'.repeat(60_000)}</article></body></html>`

let web: Web
let bench: ToolBench
beforeAll(async () => {
  web = await openWeb({
    "/article": fixed("<p>Ducks swim.</p>"),
    "/huge": (response) => {
      response.writeHead(200, { "content-type": "text/plain", "content-length": 10 * 1024 ** 3 })
      response.write("x".repeat(1_000))
      const more = () => {
        while (!response.destroyed && response.write("x".repeat(65_536)));
      }
      response.on("drain", more)
      more()
    },
    "/huge-file": (response) => {
      response.writeHead(200, { "content-type": "video/mp4", "content-length": 10 * 1024 ** 3 })
      response.write(Buffer.alloc(100_000))
    },
    "/gzip-bomb": bomb("gzip", createGzip),
    "/deflate-bomb": bomb("deflate", createDeflateRaw),
    "/br-bomb": bomb("br", () => createBrotliCompress(quickly)),
    "/zstd-bomb": bomb("zstd", createZstdCompress),
    "/nested-bomb": claiming("gzip, gzip", gzipSync(gzipSync(Buffer.alloc(16 * megabyte)))),
    "/silent-bomb": bomb("gzip, gzip", createGzip, silence),
    "/three-bombs": bomb(
      "gzip, gzip, gzip",
      createGzip,
      gzipSync(gzipSync(Buffer.alloc(megabyte))),
    ),
    "/many-compressions": claiming("gzip, gzip, gzip, gzip", "x"),
    "/odd-compression": claiming("rot13", "x"),
    "/not-gzip": claiming("gzip", "these are plain words"),
    "/not-brotli": claiming("br", "these are plain words"),
    "/endless": (response) => {
      response.writeHead(200, { "content-type": "text/html" })
      const timer = setInterval(() => response.write("<p>more</p>"), 20)
      response.on("close", () => clearInterval(timer))
    },
    "/silent": () => {},
    "/headers": (response) => {
      response.writeHead(200, { "x-long": "h".repeat(2 * webLimits.headerBytes) }).end("x")
    },
    "/reset": (response) => {
      response.writeHead(200, { "content-length": 1_000_000, "content-type": "text/plain" })
      response.write("the start")
      setTimeout(() => response.socket?.resetAndDestroy(), 20)
    },
    "/short": (response) => {
      response.writeHead(200, { "content-length": 1_000, "content-type": "text/plain" })
      response.write("the start")
      setTimeout(() => response.socket?.end(), 20)
    },
    "/gibberish": (response) => response.socket?.end("this is no answer at all\r\n\r\n"),
    "/binary-as-text": fixed(Uint8Array.of(0x7f, 0x45, 0x4c, 0x46, 0, 0, 1, 2), "text/plain"),
    "/no-pdf": fixed("%PDF-1.4 and then nothing", "application/pdf"),
    "/deep": fixed(deep),
    "/slow": fixed(slow),
    "/loop": redirect("/loop"),
    "/to-file": redirect("file:///etc/passwd"),
    "/to-user": redirect("http://user:secret@example.com/"),
    "/to-nothing": redirect("http://[bad"),
    "/to-loopback": redirect("http://127.0.0.1:1/"),
    "/to-metadata": redirect("http://169.254.169.254/latest/meta-data/", 307),
    "/to-ipv6": redirect("http://[::1]:1/"),
    "/to-mapped": redirect("http://[::ffff:127.0.0.1]:1/"),
    "/to-decimal": redirect("http://2130706433:1/"),
    "/to-octal": redirect("http://0177.0.0.1:1/"),
    "/to-name": redirect("http://localhost:1/"),
    "/to-zero": redirect("//0/"),
  })
  bench = await localBench.open({ settings: web.settings })
})
afterAll(async () => {
  await bench[Symbol.asyncDispose]()
  await web[Symbol.asyncDispose]()
})

const call = (path: string, rest: object = {}) =>
  bench.call("web.fetch", { url: `${web.origin}${path}`, ...rest })

/** "kind: message", of a call that has to fail. */
async function failureOf(url: string, rest: object = {}): Promise<string> {
  const envelope = await bench.call("web.fetch", { url, ...rest })
  return envelope.ok ? "no failure" : `${envelope.kind}: ${envelope.message}`
}

const failureAt = (path: string, rest: object = {}) => failureOf(`${web.origin}${path}`, rest)

describe("web.fetch, asked for something bad,", () => {
  it.each([
    ["/to-loopback", "127.0.0.1:1", "an address of this machine"],
    ["/to-metadata", "169.254.169.254:80", "a link-local address"],
    ["/to-ipv6", "[::1]:1", "address"],
    ["/to-mapped", "[::ffff:7f00:1]:1", "an IPv4 address inside an IPv6 address"],
    ["/to-decimal", "127.0.0.1:1", "an address of this machine"],
    ["/to-octal", "127.0.0.1:1", "an address of this machine"],
    ["/to-name", "localhost:1", "an address of this machine"],
    ["/to-zero", "0.0.0.0:80", "an address of this machine"],
  ])("C18: does not follow %s into a private address", async (path, place, what) => {
    const failure = await failureAt(path)
    expect(failure).toMatch(/^rejected: /)
    expect(failure).toContain(`${place} may not be reached: it leads to `)
    expect(failure).toContain(what)
  })

  it("C18: refuses private addresses at once, in every notation", async () => {
    const hosts = [
      "127.0.0.1",
      "localhost",
      "[::1]",
      "2130706433",
      "0x7f.1",
      "10.0.0.1",
      "192.168.1.1",
    ]
    for (const host of [
      ...hosts,
      "169.254.169.254",
      "[fd00::1]",
      "[::ffff:10.0.0.1]",
      "100.64.0.1",
    ]) {
      expect(await failureOf(`http://${host}:1/`), host).toMatch(/^rejected: .* may not be reached/)
    }
  })

  it("C18: refuses everything but what an allow-list has, and everything where nothing may be reached", async () => {
    await using none = await localBench.open({ settings: { network: { reach: "none" } } })
    expect(await none.call("web.fetch", { url: "https://example.com" })).toMatchObject({
      ...{ ok: false, kind: "rejected", retryable: false },
      message: expect.stringContaining(
        'example.com:443 may not be reached: "reach: none" allows nothing else.',
      ),
    })
    const settings = { network: { reach: "allow-list", allow: ["example.com"] } } as const
    await using few = await localBench.open({ settings })
    expect(await few.call("web.fetch", { url: "https://example.org" })).toMatchObject({
      ...{ ok: false, kind: "rejected" },
      message: expect.stringContaining("nothing on the allow-list matches"),
    })
  })

  it("Y14: fetches only http and https, without credentials in the address", async () => {
    for (const url of [
      "file:///etc/passwd",
      "ftp://example.com",
      "data:text/html,x",
      "gopher://a",
    ]) {
      expect(await failureOf(url), url).toMatch(/^invalid_args: The url has the scheme/)
    }
    expect(await failureOf("example.com/docs")).toBe("invalid_args: The url is not an address.")
    const secret = await failureOf("https://ada:pa55@example.com/")
    expect(secret).toMatch(/^invalid_args: .*Authorization header/)
    expect(secret).not.toContain("pa55")
    expect(await failureAt("/to-file")).toMatch(
      /^rejected: .*redirects to an address that has the scheme "file:"/,
    )
    expect(await failureAt("/to-user")).toMatch(/^rejected: .*a user name or a password/)
    expect(await failureAt("/to-nothing")).toMatch(
      /^execution_error: .*something that is not an address/,
    )
  })

  it("Y14: ends a circle of redirects", async () => {
    expect(await failureAt("/loop")).toBe(
      `execution_error: ${web.origin} redirects more than ${webLimits.redirects} times.`,
    )
  })

  it("Y14: refuses headers that would be more than one, belong to the connection or are too many", async () => {
    const at = async (headers: object, rest: object = {}) =>
      failureAt("/article", { headers, ...rest })
    expect(await at({ "X-A": "a\r\nX-B: b" })).toMatch(
      /^invalid_args: The header X-A has a line break/,
    )
    expect(await at({ "X-A": "\u{1F986}" })).toMatch(/^invalid_args: The header X-A/)
    expect(await at({ "X A\r\nHost": "a" })).toMatch(/^invalid_args/)
    expect(await at({ Host: "metadata" })).toMatch(
      /^invalid_args: The header Host is set by web.fetch/,
    )
    expect(await at({ "Transfer-Encoding": "chunked" })).toMatch(/^invalid_args/)
    expect(await at({ "X-A": "a".repeat(40_000) })).toMatch(
      /^invalid_args: The headers have 40\d+ bytes/,
    )
    expect(await at({}, { body: "x" })).toBe("invalid_args: A GET request has no body.")
    expect(web.asked.filter(({ message }) => message.headers["x-b"] !== undefined)).toEqual([])
  })

  it("Y14: reads a claim of 10 GB up to the limit, and keeps no part of a file", async () => {
    const max_bytes = 100_000
    expect(await call("/huge", { max_bytes })).toMatchObject({
      ok: true,
      result: { truncated: true, bytes: max_bytes, headers: { "content-length": "10737418240" } },
    })
    expect(await call("/huge-file", { max_bytes: 1_000 })).toMatchObject({
      ok: true,
      result: { truncated: true, bytes: 1_000, format: "binary" },
      warnings: [expect.stringContaining("is not kept")],
    })
    expect(await bench.artifacts.list()).toEqual([])
  })

  it("Y14: ends a decompression bomb at the limit", async () => {
    // Not at the timeout, which a busy machine could come to first.
    const limit = { max_bytes: megabyte, timeout_ms: 120_000 }
    for (const name of ["gzip", "deflate", "br", "zstd", "nested"]) {
      const envelope = await call(`/${name}-bomb`, limit)
      expect(envelope, name).toMatchObject({
        ...{ ok: true, result: { truncated: true, bytes: megabyte, format: "binary" } },
      })
    }
    expect(await call("/three-bombs", limit)).toMatchObject({
      ...{ ok: true, result: { truncated: true, bytes: megabyte } },
    })
    expect(await failureAt("/many-compressions")).toMatch(/^execution_error: .*4 compressions/)
    expect(await failureAt("/odd-compression")).toMatch(/^execution_error: .*"rot13"/)
    const wrong = /^execution_error: .*sends a body that is not compressed as it says\.$/
    expect(await failureAt("/not-gzip")).toMatch(wrong)
    expect(await failureAt("/not-brotli")).toMatch(wrong)
  })

  it("Y14: ends a bomb out of which nothing ever comes at the timeout, and answers others meanwhile", async () => {
    const silent = [1, 2, 3, 4].map(() => call("/silent-bomb", { timeout_ms: 1_500 }))
    expect(await call("/article")).toMatchObject({ ok: true, result: { text: "Ducks swim." } })
    for (const envelope of await Promise.all(silent)) {
      expect(envelope).toMatchObject({ ok: false, kind: "timeout" })
    }
  })

  it("Y14: ends a page without an end, a server that is silent and one that drips at the timeout", async () => {
    const drips = createServer((socket) => {
      socket.on("error", () => {})
      socket.write("HTTP/1.1 200 OK\r\nx-drip: ")
      const timer = setInterval(() => socket.write("d"), 20)
      socket.on("close", () => clearInterval(timer))
    }).listen(0, "127.0.0.1")
    await new Promise((resolve) => drips.once("listening", resolve))
    const { port } = drips.address() as { port: number }
    await using slowly = await localBench.open({
      settings: { network: { private: [`127.0.0.1:${port}`] } },
    })
    const timeout_ms = 300
    const failures = await Promise.all([
      call("/endless", { timeout_ms }),
      call("/silent", { timeout_ms }),
      slowly.call("web.fetch", { url: `http://127.0.0.1:${port}/`, timeout_ms }),
    ])
    drips.close()
    for (const failure of failures) {
      expect(failure).toMatchObject({
        ...{ ok: false, kind: "timeout", retryable: true },
        message: expect.stringContaining("was not there after 300 ms"),
      })
    }
  })

  it("Y14: ends with the call, whatever the page does", async () => {
    const caller = new AbortController()
    setTimeout(() => caller.abort(new Error("no longer wanted")), 100)
    const setting = { signal: caller.signal }
    const wanted = bench.call("web.fetch", { url: `${web.origin}/silent` }, setting)
    await expect(wanted).rejects.toThrow("no longer wanted")
  })

  it("Y14: says what is wrong with an answer that is none", async () => {
    expect(await failureAt("/headers")).toMatch(
      /^execution_error: .*more than 32768 bytes of headers/,
    )
    const cut = /^unavailable: .*closed the connection before its answer was complete/
    expect(await failureAt("/reset")).toMatch(cut)
    expect(await failureAt("/short")).toMatch(cut)
    expect(await failureAt("/gibberish")).toMatch(/^execution_error: .*something that is not HTTP/)
    await using closed = await localBench.open({
      settings: { network: { private: ["127.0.0.1:1"] } },
    })
    expect(await closed.call("web.fetch", { url: "http://127.0.0.1:1/" })).toMatchObject({
      ...{ ok: false, kind: "unavailable", retryable: true },
      message: expect.stringMatching(/^127\.0\.0\.1:1 could not be reached: .*ECONNREFUSED/),
    })
  })

  it("Y14: takes a binary for what it is, and a broken PDF for unreadable", async () => {
    expect(await call("/binary-as-text")).toMatchObject({
      ok: true,
      result: { format: "binary", artifact: { size: 8 } },
    })
    expect(await failureAt("/no-pdf")).toMatch(/^execution_error: The page can't be read: /)
  })

  it("Y14: a page that is hard to read holds nothing up but itself", async () => {
    expect(await call("/deep", { timeout_ms: 120_000 })).toMatchObject({
      ok: true,
      result: { text: "the words inside" },
    })
    const turns = watchTurns()
    const hard = call("/slow", { timeout_ms: 700 })
    expect(await call("/article")).toMatchObject({ ok: true, result: { text: "Ducks swim." } })
    expect(await hard).toMatchObject({ ok: false, kind: "timeout" })
    expect(turns.stop()).toBeLessThan(140)
    expect(await call("/article")).toMatchObject({ ok: true, result: { text: "Ducks swim." } })
  })
})
