import { readFile } from "node:fs/promises"
import type { ServerResponse } from "node:http"
import {
  brotliCompressSync,
  deflateRawSync,
  deflateSync,
  gzipSync,
  zstdCompressSync,
} from "node:zlib"
import { afterAll, assert, beforeAll, describe, expect, it } from "vitest"
import { localBench, resultOf, type ToolBench } from "../../../test/support/tools/tool-bench.ts"
import {
  fixed,
  openWeb,
  pdfOf,
  redirect,
  type Web,
} from "../../../test/support/tools/web-fixture.ts"
import { limits } from "../../contract/index.ts"

const article = `<!doctype html><html><head><title>Ducks</title></head><body>
<nav><a href="/">Home</a></nav><script>document.title = "other"</script>
<article><h1>About ducks</h1><p>Ducks <b>swim</b>, see <a href="/more?a=1">more</a>.</p>
<ul><li>mallard</li><li>eider</li></ul></article></body></html>`
const markdown =
  "## About ducks\n\nDucks **swim**, see [more](ORIGIN/more?a=1).\n\n- mallard\n- eider"

const compressed = (bytes: Uint8Array, encoding: string) => (response: ServerResponse) =>
  response.writeHead(200, { "content-encoding": encoding, "content-type": "text/html" }).end(bytes)

let web: Web
let bench: ToolBench
beforeAll(async () => {
  web = await openWeb({
    "/article": fixed(article),
    "/data": fixed('{"duck": "é"}', "application/json"),
    "/sent": (response) => response.writeHead(201, { etag: '"1"', "x-other": "no" }).end(),
    "/broken": (response) =>
      response.writeHead(500, { "content-type": "text/plain", "retry-after": "7" }).end("sorry"),
    "/gzip": compressed(gzipSync(article), "gzip"),
    "/deflate": compressed(deflateSync(article), "deflate"),
    "/bare-deflate": compressed(deflateRawSync(article), "deflate"),
    "/br": compressed(brotliCompressSync(article), "br"),
    "/zstd": compressed(zstdCompressSync(article), "zstd"),
    "/twice": compressed(brotliCompressSync(gzipSync(article)), "gzip, br"),
    "/latin": fixed(Buffer.from("<p>gr\u00fcn</p>", "latin1"), "text/html; charset=iso-8859-1"),
    "/meta": fixed(
      Buffer.from(
        '<html><head><meta charset="windows-1251"></head><body><p>\u00f3\u00f2\u00ea\u00e0</p></body></html>',
        "latin1",
      ),
      "text/html",
    ),
    "/wide": fixed(Buffer.from("\ufeffducks \u{1F986}", "utf16le"), "text/plain"),
    "/unsaid": fixed(Buffer.from("gr\u00fcn", "latin1"), "text/plain"),
    "/odd": fixed("ducks", "text/plain; charset=klingon"),
    "/paper.pdf": fixed(pdfOf("On ducks", ["Ducks swim.", "They also fly."]), "application/pdf"),
    "/files/duck.png": fixed(Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0, 1, 2, 3), "image/png"),
    "/named": (response) =>
      response
        .writeHead(200, {
          "content-type": "application/zip",
          "content-disposition": 'attachment; filename="../../etc/ducks of 2026.zip"',
        })
        .end("PK\u0003\u0004"),
    "/plain": fixed("just words, no element", "text/html"),
    "/menu": fixed("<html><body><script>1</script></body></html>"),
    "/long": fixed(`start ${"x".repeat(200_000)} end`, "text/plain"),
    "/moved": redirect("/step", 301),
    "/step": redirect("article#here", 307),
    "/see-other": redirect("/data", 303),
    "/keep": redirect("/data", 308),
  })
  bench = await localBench.open({ settings: web.settings })
})
afterAll(async () => {
  await bench[Symbol.asyncDispose]()
  await web[Symbol.asyncDispose]()
})

const fetchPage = (path: string, rest: object = {}) =>
  bench.call("web.fetch", { url: `${web.origin}${path}`, ...rest })

async function pageOf(path: string, rest: object = {}) {
  return resultOf(await fetchPage(path, rest))
}

describe("web.fetch", () => {
  it("Y14.fetch: gives a page as markdown of its main part, with all that is known of it", async () => {
    const url = `${web.origin}/article`
    expect(await fetchPage("/article")).toEqual({
      ok: true,
      tool: "web.fetch",
      result: {
        kind: "page",
        url,
        final_url: url,
        status: 200,
        status_text: "OK",
        content_type: "text/html; charset=utf-8",
        title: "Ducks",
        format: "markdown",
        text: markdown.replace("ORIGIN", web.origin),
        bytes: article.length,
        truncated: false,
        headers: {},
        redirects: [],
      },
    })
    const [{ message } = { message: null }] = web.asked.slice(-1)
    expect(message?.headers).toMatchObject({
      "user-agent": "toolkeep/0.0.0",
      host: url.slice(7, -8),
    })
    expect(message?.headers).not.toHaveProperty("cookie")
  })

  it("Y14: gives it as text, as HTML or as its source, too", async () => {
    expect((await pageOf("/article", { format: "text" })).text).toBe(
      "About ducks\n\nDucks swim, see more.\n\nmallard\n\neider",
    )
    const { text } = await pageOf("/article", { format: "html" })
    expect(text).toContain("<li>mallard</li>")
    expect(text).not.toContain("Home")
    expect(await pageOf("/article", { format: "raw" })).toMatchObject({
      format: "raw",
      text: article,
    })
  })

  it("Y14: sends what it is told, and any status is a result", async () => {
    const body = '{"name": "Ada"}'
    for (const method of ["POST", "PUT", "PATCH", "DELETE"]) {
      const headers = { "Content-Type": "application/json", "X-Key": "k" }
      expect(await pageOf("/sent", { method, body, headers })).toMatchObject({
        ...{ status: 201, status_text: "Created", text: "", bytes: 0, headers: { etag: '"1"' } },
      })
      const [sent] = web.asked.slice(-1)
      expect([sent?.message.method, sent?.body]).toEqual([method, body])
      expect(sent?.message.headers).toMatchObject({
        "content-type": "application/json",
        "x-key": "k",
      })
    }
    expect(await pageOf("/nowhere")).toMatchObject({ status: 404, text: "nothing here" })
    const broken = { status: 500, text: "sorry", headers: { "retry-after": "7" } }
    expect(await pageOf("/broken")).toMatchObject(broken)
    expect(await pageOf("/article", { method: "HEAD" })).toMatchObject({ status: 200, bytes: 0 })
  })

  it("Y14: follows redirects as fetch does, and says which", async () => {
    const url = `${web.origin}/article#here`
    expect(await pageOf("/moved")).toMatchObject({
      final_url: url,
      redirects: [
        { url: `${web.origin}/moved`, status: 301 },
        { url: `${web.origin}/step`, status: 307 },
      ],
    })
    const post = { method: "POST", body: "b", headers: { Authorization: "Bearer s" } }
    await pageOf("/see-other", post)
    await pageOf("/keep", post)
    expect(
      web.asked.slice(-4).map(({ message, body }) => [message.method, message.url, body]),
    ).toEqual([
      ["POST", "/see-other", "b"],
      ["GET", "/data", ""],
      ["POST", "/keep", "b"],
      ["POST", "/data", "b"],
    ])
  })

  it("Y14: keeps secrets from other places that a redirect leads to", async () => {
    await using other = await openWeb({ "/": redirect(`http://localhost:${web.port}/data`) })
    const private_ = [...(web.settings.network?.private ?? []), `127.0.0.1:${other.port}`]
    await using both = await localBench.open({ settings: { network: { private: private_ } } })
    const headers = { Authorization: "Bearer s", Cookie: "c=1", "X-Kept": "k" }
    const envelope = await both.call("web.fetch", { url: `${other.origin}/`, headers })
    expect(envelope).toMatchObject({ ok: true, result: { text: '{"duck": "é"}', format: "raw" } })
    expect(other.asked[0]?.message.headers).toMatchObject({
      authorization: "Bearer s",
      cookie: "c=1",
    })
    const heard = web.asked.at(-1)?.message.headers
    expect(heard).toMatchObject({ "x-kept": "k" })
    expect(heard).not.toHaveProperty("authorization")
    expect(heard).not.toHaveProperty("cookie")
  })

  it("Y14: reads every compression that it asks for", async () => {
    for (const path of ["/gzip", "/deflate", "/bare-deflate", "/br", "/zstd", "/twice"]) {
      const page = await pageOf(path, { format: "raw" })
      expect(page, path).toMatchObject({ text: article, bytes: article.length })
    }
    expect(web.asked.at(-1)?.message.headers["accept-encoding"]).toBe("gzip, deflate, br, zstd")
  })

  it("Y14: reads every charset as a browser does", async () => {
    expect(await pageOf("/latin")).toMatchObject({ text: "grün" })
    expect(await pageOf("/meta")).toMatchObject({ text: "утка" })
    expect(await pageOf("/wide")).toMatchObject({ text: "ducks \u{1F986}" })
    expect(await pageOf("/unsaid")).toMatchObject({ text: "grün" })
    expect(await fetchPage("/odd")).toMatchObject({
      ok: true,
      result: { text: "ducks" },
      warnings: ['The page says that its charset is "klingon", which does not exist.'],
    })
  })

  it("Y14: gives the text of a PDF, page by page", async () => {
    expect(await pageOf("/paper.pdf")).toMatchObject({
      title: "On ducks",
      format: "text",
      page_count: 2,
      text: "Ducks swim.\n\nThey also fly.",
    })
  })

  it("Y14: keeps what is no text as a file for the person", async () => {
    const { artifact, ...page } = await pageOf("/files/duck.png")
    expect(page).toMatchObject({ format: "binary", text: "", bytes: 8, truncated: false })
    expect(artifact).toMatchObject({ filename: "duck.png", mime_type: "image/png", size: 8 })
    assert(artifact)
    expect([...(await readFile(artifact.path))]).toEqual([0x89, 0x50, 0x4e, 0x47, 0, 1, 2, 3])
    const named = await pageOf("/named")
    expect(named.artifact).toMatchObject({ filename: "ducks_of_2026.zip" })
    expect(await pageOf("/paper.pdf", { format: "raw" })).toMatchObject({ format: "binary" })
  })

  it("Y14: gives pages without a main part as all of their text", async () => {
    expect(await pageOf("/plain")).toMatchObject({ text: "just words, no element" })
    expect(await pageOf("/menu")).toMatchObject({ text: "" })
  })

  it("O34.cut, O34.named: cuts long text to its head and tail, and says so", async () => {
    const { text, truncated, bytes } = await pageOf("/long")
    expect([truncated, bytes]).toEqual([true, 200_010])
    expect(text).toMatch(/^start x+\n\[\.\.\. \d+ bytes left out \.\.\.\]\nx+ end$/)
    expect(String(text).length).toBeLessThan(limits.textBytes + 100)
    expect(await pageOf("/long", { max_bytes: 8 })).toMatchObject({
      ...{ text: "start xx", bytes: 8, truncated: true },
    })
  })
})
