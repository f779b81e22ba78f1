import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { deflateSync, gzipSync } from "node:zlib"
import sharp from "sharp"
import { afterAll, beforeAll, expect, it } from "vitest"
import type { Envelope } from "../../src/contract/index.ts"
import { pdfOf, samplePdf, sampleWav } from "../fuzz/sample-files.ts"
import { localBench, type ToolBench } from "../support/tools/tool-bench.ts"

let bench: ToolBench
const pdfs = new Map<string, Uint8Array>()
const asked: string[] = []
const server = createServer((request, response) => {
  asked.push(request.url ?? "")
  const pdf = pdfs.get(request.url ?? "")
  response.writeHead(pdf ? 200 : 404, { "Content-Type": "application/pdf" }).end(pdf)
})
let port: number

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  port = (server.address() as AddressInfo).port
  bench = await localBench.open({
    settings: { network: { reach: "full", private: [`localhost:${port}`] } },
  })
})
afterAll(async () => {
  await bench[Symbol.asyncDispose]()
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

/** What one call may leave behind in this process, whatever its file unpacks to. */
const mostLeft = 400 * 1024 ** 2

/** Every hostile file is answered with an envelope, and costs this process little. */
async function answers(calls: Readonly<Record<string, () => Promise<Envelope>>>) {
  const before = process.memoryUsage.rss()
  const all: Record<string, string> = {}
  await Promise.all(
    Object.entries(calls).map(async ([name, call]) => {
      const envelope = await call()
      all[name] = envelope.ok ? "ok" : `${envelope.kind}: ${envelope.message}`
    }),
  )
  expect(process.memoryUsage.rss() - before).toBeLessThan(mostLeft)
  return all
}

const xml = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'
const svg = (inner: string, before = "") =>
  Buffer.from(`${before}<svg ${xml} width="300" height="60">${inner}</svg>`)
const laughs = Array.from(
  { length: 10 },
  (_, index) => `<!ENTITY l${index + 1} "${`&l${index};`.repeat(10)}">`,
).join("")
const nested = (depth: number): string =>
  depth === 0
    ? "<rect width='9' height='9'/>"
    : `<image width='9' height='9' xlink:href='data:image/svg+xml;base64,${svg(nested(depth - 1)).toString("base64")}'/>`

/** A GIF that says it is as large as one can be. */
const hugeGif = Buffer.from(
  "474946383961ffffffff800000000000ffffff2c00000000ffffffff0002024401003b",
  "hex",
)
/** Its directory is followed by itself. */
const endlessTiff = Buffer.from(
  "49492a0008000000020000010400010000001000000001010400010000001000000008000000",
  "hex",
)

it("C18: images that unpack to too much, refer to other files or to themselves are read within bounds", async () => {
  const flat = { width: 7_000, height: 7_000, channels: 3, background: "white" } as const
  const images: Record<string, Uint8Array> = {
    "as many pixels as allowed": await sharp({ create: flat }).png().toBuffer(),
    "a huge GIF": hugeGif,
    "an endless TIFF": endlessTiff,
    "an entity of a file": svg(
      "<text y='30'>&secret;</text>",
      '<!DOCTYPE svg [<!ENTITY secret SYSTEM "file:///etc/passwd">]>',
    ),
    "a billion laughs": svg("<text>&l10;</text>", `<!DOCTYPE svg [<!ENTITY l0 "ha">${laughs}]>`),
    "other files": svg(
      `<image width='99' height='60' xlink:href='file:///etc/passwd'/><image width='99' height='60' xlink:href='http://localhost:${port}/image.png'/>`,
    ),
    "images in each other": svg(nested(8)),
    itself: svg("<g id='a'><use xlink:href='#b'/></g><g id='b'><use xlink:href='#a'/></g>"),
    "deep groups": svg(`${"<g>".repeat(100_000)}${"</g>".repeat(100_000)}`),
    "a packed bomb": gzipSync(svg(" ".repeat(200_000_000))),
  }
  const all = await answers(
    Object.fromEntries(
      Object.entries(images).map(([name, bytes]) => [
        name,
        () => bench.call("image.analyze", { data: Buffer.from(bytes).toString("base64") }),
      ]),
    ),
  )
  expect(all).toMatchObject({
    "as many pixels as allowed": "ok",
    "a huge GIF": expect.stringMatching(/^invalid_args/),
    "an endless TIFF": expect.stringMatching(/^invalid_args/),
  })
  expect(JSON.stringify(all)).not.toContain("root:")
  expect(asked).not.toContain("/image.png")
}, 120_000)

const packed = (bytes: number) => deflateSync(Buffer.alloc(bytes, " "))
const stream = (content: Uint8Array, filters: string) =>
  Buffer.concat([
    Buffer.from(`<< /Length ${content.length} /Filter ${filters} >>\nstream\n`),
    content,
    Buffer.from("\nendstream"),
  ])
const catalog = "<< /Type /Catalog /Pages 2 0 R >>"
const onePage = "<< /Type /Pages /Kids [3 0 R] /Count 1 >>"
const page = "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents 4 0 R >>"

it("C18: PDFs with bombs, loops and programs in them are read within bounds", async () => {
  const twice = deflateSync(packed(100_000_000))
  const hostile: Record<string, Uint8Array> = {
    "a bomb as a page": pdfOf([
      catalog,
      onePage,
      page,
      stream(packed(100_000_000), "/FlateDecode"),
    ]),
    "a bomb in a bomb": pdfOf([
      ...[catalog, onePage, page, stream(twice, "[/FlateDecode /FlateDecode]")],
    ]),
    "pages without end": pdfOf([catalog, "<< /Type /Pages /Kids [2 0 R] /Count 1000000000 >>"]),
    "a page again and again": pdfOf([
      catalog,
      `<< /Type /Pages /Kids [${"3 0 R ".repeat(9_000)}] /Count 9000 >>`,
      page,
      stream(deflateSync("BT (a) Tj ET"), "/FlateDecode"),
    ]),
    "deep arrays": pdfOf([catalog, onePage, page, `${"[".repeat(500_000)}`]),
    "half of one": samplePdf().subarray(0, 300),
  }
  const all = await answers(
    Object.fromEntries(
      Object.entries(hostile).map(([name, bytes], index) => {
        pdfs.set(`/${index}.pdf`, bytes)
        const url = `http://localhost:${port}/${index}.pdf`
        return [name, () => bench.call("web.fetch", { url, timeout_ms: 10_000 })]
      }),
    ),
  )
  expect(Object.keys(all).sort()).toEqual(Object.keys(hostile).sort())
  const program = "<< /S /JavaScript /JS (for\\(;;\\);) >>"
  const content = stream(deflateSync("BT ET"), "/FlateDecode")
  const opens = `<< /Type /Catalog /Pages 2 0 R /OpenAction ${program} >>`
  pdfs.set("/program.pdf", pdfOf([opens, onePage, page, content]))
  const url = `http://localhost:${port}/program.pdf`
  expect(await bench.call("web.fetch", { url, timeout_ms: 60_000 })).toMatchObject({ ok: true })
}, 120_000)

it("C18: recordings that claim what they are not are refused or read as what they hold", async () => {
  const recordings: Record<string, Uint8Array> = {
    "no rate": sampleWav({ rate: 0 }),
    "a huge rate": sampleWav({ rate: 4_000_000_000 }),
    "many channels": sampleWav({ channels: 65_535 }),
    "no bits": sampleWav({ bits: 0 }),
    "four gigabytes": sampleWav({ bytes: 0xffffffff }),
    "a head alone": Buffer.from("fLaC\0\0\0\x22"),
    "a page of nothing": Buffer.concat([
      Buffer.from("OggS\0\x02"),
      Buffer.alloc(30),
      Buffer.from("OpusHead"),
    ]),
  }
  const all: Record<string, string> = {}
  // One after the other: the model is loaded once.
  for (const [name, bytes] of Object.entries(recordings)) {
    const data = Buffer.from(bytes).toString("base64")
    Object.assign(all, await answers({ [name]: () => bench.call("audio.transcribe", { data }) }))
  }
  expect(all).toMatchObject({
    "no rate": expect.stringMatching(/^invalid_args/),
    "a huge rate": expect.stringMatching(/^invalid_args/),
    "a head alone": expect.stringMatching(/^invalid_args/),
  })
}, 120_000)

it("C18: tables of quotes, of columns, of brackets or with odd names are drawn or refused", async () => {
  const tables: Record<string, string> = {
    quotes: '"'.repeat(19_000_000),
    columns: `a,b${",".repeat(10_000_000)}\n1,2\n`,
    brackets: `[${'{"a":'.repeat(500_000)}`,
    "deep cells": `[{"a": ${"[".repeat(200_000)}${"]".repeat(200_000)}, "b": 1}]`,
    "odd names": '[{"__proto__": 1, "a": 1, "b": 2, "constructor": 3}]',
  }
  const calls: Record<string, () => Promise<Envelope>> = {}
  for (const [name, text] of Object.entries(tables)) {
    const path = `${name}.csv`
    await bench.workspace.writeFile(path, text)
    calls[name] = () => bench.call("chart.render", { type: "scatter", path, x: "a", y: "b" })
  }
  const all = await answers(calls)
  expect(all).toMatchObject({
    brackets: expect.stringMatching(/^invalid_args/),
    "odd names": "ok",
  })
}, 120_000)
