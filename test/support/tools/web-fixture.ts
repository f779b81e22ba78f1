import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import type { Settings } from "../../../src/config/index.ts"

type Page = (response: ServerResponse, message: IncomingMessage) => void

/** For tests: a web server on loopback, with pages by their path. */
export interface Web extends AsyncDisposable {
  /** "http://127.0.0.1:1234" */
  readonly origin: string
  readonly port: number
  /** What it was asked, in order, with the body. */
  readonly asked: { readonly message: IncomingMessage; readonly body: string }[]
  /** Lets tools reach this server and nothing else that is private. */
  readonly settings: Settings
}

export async function openWeb(pages: Readonly<Record<string, Page>>): Promise<Web> {
  const asked: { message: IncomingMessage; body: string }[] = []
  const server = createServer(async (message, response) => {
    let body = ""
    for await (const part of message.setEncoding("utf8")) body += part
    asked.push({ message, body })
    const path = new URL(message.url ?? "/", "http://server").pathname
    const page = pages[path]
    // What a client that left does to a connection is no concern of the server.
    response.on("error", () => {})
    if (page) page(response, message)
    else response.writeHead(404, { "content-type": "text/plain" }).end("nothing here")
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  return {
    origin: `http://127.0.0.1:${port}`,
    port,
    asked,
    settings: { network: { private: [`127.0.0.1:${port}`, `localhost:${port}`] } },
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}

/** A page that answers always the same. */
export function fixed(content: string | Uint8Array, type = "text/html; charset=utf-8"): Page {
  return (response) => response.writeHead(200, { "content-type": type }).end(content)
}

/** A page that sends elsewhere. */
export function redirect(location: string, status = 302): Page {
  return (response) => response.writeHead(status, { location }).end()
}

/** A PDF of one page for each text. */
export function pdfOf(title: string, texts: readonly string[]): Uint8Array {
  const streams = texts.map((text) => `BT /F1 24 Tf 72 700 Td (${text}) Tj ET`)
  const pageNumber = (index: number) => 5 + 2 * index
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    `<< /Type /Pages /Count ${texts.length} /Kids [${texts.map((_, index) => `${pageNumber(index)} 0 R`).join(" ")}] >>`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    `<< /Title (${title}) >>`,
    ...streams.flatMap((stream, index) => [
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents ${pageNumber(index) + 1} 0 R /Resources << /Font << /F1 3 0 R >> >> >>`,
      `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`,
    ]),
  ]
  let text = "%PDF-1.4\n"
  const offsets = objects.map((object, index) => {
    const offset = text.length
    text += `${index + 1} 0 obj\n${object}\nendobj\n`
    return `${String(offset).padStart(10, "0")} 00000 n \n`
  })
  const size = objects.length + 1
  const table = `xref\n0 ${size}\n0000000000 65535 f \n${offsets.join("")}`
  const trailer = `trailer\n<< /Size ${size} /Root 1 0 R /Info 4 0 R >>\nstartxref\n${text.length}\n%%EOF\n`
  return new TextEncoder().encode(text + table + trailer)
}
