import { describe, expect, it } from "vitest"
import { openBrowser } from "../../../test/support/open-browser.ts"
import { benches, resultOf } from "../../../test/support/tools/tool-bench.ts"

const [bubblewrap] = benches.filter(({ host }) => host === "bubblewrap")
if (!bubblewrap) throw new Error("there is no bubblewrap bench")

/** A page whose absolute path and WebSocket lead back to where it came from. */
const server = `
import asyncio, base64, hashlib
page = b"""<!doctype html><title>Preview</title><p id=data></p><p id=echo></p><script>
fetch("/data.txt").then((answer) => answer.text()).then((text) => { data.textContent = text })
const socket = new WebSocket("ws://" + location.host + "/echo")
socket.onopen = () => socket.send("over the socket")
socket.onmessage = ({ data }) => { echo.textContent = data }
</script>"""
async def serve(reader, writer):
    head = (await reader.readuntil(b"\\r\\n\\r\\n")).decode()
    path = head.split(" ")[1]
    fields = dict(line.split(": ", 1) for line in head.split("\\r\\n")[1:] if ": " in line)
    keys = {name.lower(): value for name, value in fields.items()}
    if path == "/echo":
        mark = keys["sec-websocket-key"] + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
        accept = base64.b64encode(hashlib.sha1(mark.encode()).digest()).decode()
        writer.write(f"HTTP/1.1 101 Switching Protocols\\r\\nUpgrade: websocket\\r\\nConnection: Upgrade\\r\\nSec-WebSocket-Accept: {accept}\\r\\n\\r\\n".encode())
        first = await reader.readexactly(2)
        mask = await reader.readexactly(4)
        body = await reader.readexactly(first[1] & 127)
        writer.write(bytes([first[0], len(body)]) + bytes(byte ^ mask[at % 4] for at, byte in enumerate(body)))
        await asyncio.sleep(60)
    body = page if path == "/start?x=1" else b"by an absolute path"
    writer.write(b"HTTP/1.1 200 OK\\r\\nContent-Type: text/html\\r\\nContent-Length: %d\\r\\n\\r\\n" % len(body) + body)
    await writer.drain()
    writer.close()
async def main():
    await (await asyncio.start_server(serve, "0.0.0.0", 8000)).serve_forever()
asyncio.run(main())
`

describe("sandbox.browse", () => {
  it("C6: gives a URL that a browser opens, with what the page asks for and its WebSocket", async () => {
    await using bench = await bubblewrap.open()
    await bench.call("file.write", { path: "server.py", content: server, sandbox: "web" })
    await bench.call("shell.exec", { command: "python3 server.py &", sandbox: "web" })
    const input = { port: 8000, path: "/start?x=1", sandbox: "web", wait_ms: 30_000 }
    const envelope = await bench.call("sandbox.browse", input)
    expect(envelope).toEqual({
      ok: true,
      tool: "sandbox.browse",
      result: {
        kind: "preview",
        url: expect.stringMatching(/^http:\/\/8000-web-bench\.localhost:\d+\/start\?x=1$/),
        port: 8000,
        sandbox: "web",
      },
    })
    const { url } = resultOf(envelope)
    const browser = await openBrowser()
    try {
      const page = await browser.newPage()
      await page.goto(url)
      expect(await page.title()).toBe("Preview")
      await page.locator("#data", { hasText: "by an absolute path" }).waitFor()
      await page.locator("#echo", { hasText: "over the socket" }).waitFor()
      // Another site on this machine, in the same browser.
      await page.goto(`http://localhost:${new URL(url).port}/`)
      const asked = page.waitForResponse((response) => response.url() === url)
      await page.evaluate((target) => void fetch(target, { mode: "no-cors" }), url)
      expect((await asked).status()).toBe(403)
      const opened = page.evaluate(
        (target) => {
          const { promise, resolve } = Promise.withResolvers<string>()
          const socket = new WebSocket(target)
          socket.onopen = () => resolve("open")
          socket.onerror = () => resolve("refused")
          return promise
        },
        new URL("/echo", url.replace("http:", "ws:")).href,
      )
      expect(await opened).toBe("refused")
    } finally {
      await browser.close()
    }
  }, 120_000)

  it("C6: fails where nothing listens in time, and where there is no such sandbox", async () => {
    await using bench = await bubblewrap.open()
    expect(await bench.call("sandbox.browse", { port: 8000, wait_ms: 200 })).toEqual({
      ok: false,
      tool: "sandbox.browse",
      kind: "unavailable",
      message:
        "Nothing listens on port 8000 in the sandbox. Start the server in the background, look at its output, then try again.",
      field: "port",
      retryable: true,
    })
    expect(await bench.call("sandbox.browse", { port: 8000, sandbox: "web" })).toMatchObject({
      kind: "not_found",
      message: 'There is no sandbox "web".',
      field: "sandbox",
      expected: "one of default",
    })
    expect(bench.sandboxes.list()).toHaveLength(1)
    for (const wrong of [{ port: 0 }, { port: 65_536 }, { port: 80, path: "//evil.example" }]) {
      const envelope = await bench.call("sandbox.browse", { wait_ms: 0, ...wrong })
      expect(envelope).toMatchObject({ ok: false })
    }
    const aborted = AbortSignal.timeout(100)
    const waiting = bench.call("sandbox.browse", { port: 8000 }, { signal: aborted })
    await expect(waiting).rejects.toThrow(/abort/)
  }, 120_000)
})
