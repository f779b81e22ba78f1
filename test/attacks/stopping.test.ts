import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { expect, it } from "vitest"
import { workLimits } from "../../src/tools/limits.ts"
import { startCli } from "../e2e/run-cli.ts"
import { startServer } from "../e2e/start-server.ts"
import { commandLine } from "../support/built-package.ts"
import { descendantsOf } from "./descendants.ts"

const xml = "xmlns='http://www.w3.org/2000/svg' xmlns:xlink='http://www.w3.org/1999/xlink'"
const uses = (id: string) => `<use xlink:href='#${id}'/>`.repeat(10)

/** Small files that take a renderer hours, and can't be interrupted in the thread that draws them. */
const slowDrawings = [
  `<svg ${xml} width='4000' height='4000'><filter id='f'><feTurbulence baseFrequency='.01'
    numOctaves='100000'/></filter><rect width='4000' height='4000' filter='url(#f)'/></svg>`,
  `<svg ${xml} width='3000' height='3000'><filter id='f'>${"<feMorphology operator='dilate' radius='900'/>".repeat(40)}
    </filter><rect width='3000' height='3000' filter='url(#f)'/></svg>`,
  `<svg ${xml} width='500' height='500'><g id='a0'><rect width='400' height='400' opacity='.9'/></g>
    ${Array.from({ length: 20 }, (_, index) => `<g id='a${index + 1}' opacity='.9'>${uses(`a${index}`)}</g>`).join("")}
    <use xlink:href='#a20'/></svg>`,
  `<svg ${xml} width='4000' height='4000'><filter id='f'><feTurbulence type='fractalNoise' baseFrequency='.5'
    numOctaves='99999'/></filter><rect width='4000' height='4000' filter='url(#f)'/></svg>`,
].map((svg) => Buffer.from(svg).toString("base64"))

/** Those that read what a call brought. */
const workOf = (pid: number) =>
  descendantsOf(pid).filter(({ command }) => /node .*work-main/.test(command))

const drawing = (pid: number) => expect.poll(() => workOf(pid).length).toBeGreaterThan(0)

async function connect(url: string, token: string) {
  const client = new Client({ name: token, version: "1.0.0" })
  const requestInit = { headers: { Authorization: `Bearer ${token}` } }
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }))
  return (name: string, input: Record<string, unknown>) =>
    client.callTool({ name, arguments: input })
}

const tokens = ["token-of-the-hostile-one", "token-of-the-other-one"]

it("C18, F20: drawings that take hours, of many sessions of a token, hold up neither another client nor the server's end", async () => {
  const up = await startServer(process.execPath, [commandLine, "up", "--port", "0"], { tokens })
  const { url } = await up.ready()
  const [hostile = "", served = ""] = tokens
  const other = await connect(url, served)
  const ended: unknown[] = []
  const draw = async (call: typeof other) => {
    const drawings = slowDrawings.map((data) => call("image_analyze", { data }))
    for (const drawing of drawings) drawing.catch(() => {}).finally(() => ended.push(drawing))
    await Promise.allSettled(drawings)
  }
  // As many sessions as could have every place for work.
  const sessions = workLimits.running / workLimits.runningEach
  const opened = await Promise.all(Array.from({ length: sessions }, () => connect(url, hostile)))
  const drawings = opened.map(draw)
  await drawing(up.pid)
  await other("file_write", { path: "notes.md", content: "# Notes" })
  expect(await other("file_read", { path: "notes.md" })).toMatchObject({ isError: false })
  expect(await other("artifact_share", { path: "notes.md" })).toMatchObject({ isError: false })
  // Also work of the same kind has its turn.
  const data = Buffer.from(`<svg ${xml} width='9' height='9'/>`).toString("base64")
  expect(await other("image_analyze", { data })).toMatchObject({ isError: false })
  expect(ended).toEqual([])
  const started = descendantsOf(up.pid)
  up.signal("SIGTERM")
  expect(await up.ended).toBe(0)
  await expect.poll(() => started.filter((one) => !one.isGone())).toEqual([])
  await Promise.all(drawings)
})

const users = process.getuid?.() === 0 ? [undefined, 54_321] : [undefined]

it.each(users)(
  "C18: nothing that works for Toolkeep outlives it, also when it is killed (user %s)",
  async (user) => {
    const up = await startServer(process.execPath, [commandLine, "up", "--port", "0"], {
      tokens,
      user,
    })
    const { url } = await up.ready()
    const call = await connect(url, tokens[0] ?? "")
    for (const data of slowDrawings) call("image_analyze", { data }).catch(() => {})
    await drawing(up.pid)
    const started = descendantsOf(up.pid)
    process.kill(up.pid, "SIGKILL")
    await up.ended
    await expect.poll(() => started.filter((one) => !one.isGone())).toEqual([])
  },
)

it("C18, F20: toolkeep call and toolkeep mcp end when they are told to while a drawing takes hours", async () => {
  const call = startCli(["call", "--host", "memory", "image.analyze", "-"], {
    stdin: JSON.stringify({ data: slowDrawings[0] }),
  })
  const lines = [
    {
      method: "initialize",
      id: 1,
      params: {
        protocolVersion: "2025-06-18",
        capabilities: {},
        clientInfo: { name: "a", version: "1" },
      },
    },
    { method: "notifications/initialized" },
    {
      method: "tools/call",
      id: 2,
      params: { name: "image_analyze", arguments: { data: slowDrawings[1] } },
    },
  ].map((message) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)
  const mcp = startCli(["mcp", "--host", "memory"], { stdin: lines.join(""), stdinStaysOpen: true })
  for (const { child, done } of [call, mcp]) {
    const pid = child.pid ?? 0
    await drawing(pid)
    const started = descendantsOf(pid)
    child.kill("SIGTERM")
    expect((await done).exitCode).toBe(child === call.child ? 130 : 0)
    await expect.poll(() => started.filter((one) => !one.isGone())).toEqual([])
  }
})
