import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { Defuddle } from "defuddle/node"
import { parseHTML } from "linkedom"
import { policyOfProfile } from "../../src/policy/index.ts"
import { memoryHost } from "../../src/sandbox/index.ts"
import { createSession } from "../../src/session/index.ts"
import type { BenchRow } from "../harness/bench-row.ts"
import { measureTimeRatio } from "../harness/measure.ts"

const pageBytes = 1024 ** 2

/** web.fetch of a page of 1 MB on loopback, against what makes markdown of it alone. */
export async function fetchPage(): Promise<readonly BenchRow[]> {
  const html = page()
  const server = createServer((_, response) => {
    response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(html)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  const url = `http://127.0.0.1:${port}/`
  await using session = createSession({
    name: "fetch",
    host: memoryHost(),
    policy: policyOfProfile("full"),
    settings: { network: { private: [`127.0.0.1:${port}`] } },
  })
  const fetched = async () => {
    const envelope = await session.call("web.fetch", { url, timeout_ms: 120_000 })
    if (!envelope.ok) throw new Error(envelope.message)
  }
  const converted = async () => {
    const { document } = parseHTML(html)
    const { content } = await Defuddle(document, url, { markdown: true, useAsync: false })
    if (!content.includes("Paragraph 41 ")) throw new Error("The page lost its paragraphs.")
  }
  try {
    return [
      {
        id: "fetch-page",
        what: "web.fetch of a page of 1 MB to markdown, against the converter alone (ratio)",
        value: await measureTimeRatio(fetched, converted, { rounds: 7 }),
        bar: 3,
        aim: 1.5,
        better: "lower",
      },
    ]
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

function page(): string {
  const parts: string[] = []
  for (let number = 0, size = 0; size < pageBytes; number += 1) {
    const part = number % 20 === 0 ? `<h2>Section ${number}</h2>` : paragraph(number)
    parts.push(part)
    size += part.length
  }
  const menu = '<nav><a href="/">Home</a> <a href="/about">About</a></nav>'
  return `<!doctype html><html><head><title>A long page</title></head><body>${menu}<article><h1>A long page</h1>${parts.join("\n")}</article></body></html>`
}

function paragraph(number: number): string {
  const words = "Words go on and on in it. ".repeat(6)
  return `<p>Paragraph ${number} has <a href="/link/${number}">a link</a>, <b>bold</b> words and <code>code</code>. ${words}</p>`
}
