import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type CommandPlace, runCommand } from "./run-command.ts"
import { untilMark } from "./until-mark.ts"

/** Answers a command with these lines; those that say MARK have the mark of that command in their base64. */
let lines: (mark: string) => readonly string[] = () => []
let isHeldOpen = false
const server = createServer(async (request, response) => {
  let body = ""
  for await (const piece of request) body += piece
  const mark = /printf '%s%s;' '(\w+)'/.exec(JSON.parse(body).command)?.[1] ?? ""
  response.writeHead(200, { "content-type": "text/event-stream" })
  response.write(
    lines(mark)
      .map((line) => `${line}\n\n`)
      .join(""),
  )
  if (!isHeldOpen) response.end()
})
let place: CommandPlace
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  const execd = { url: `http://127.0.0.1:${port}`, headers: {} }
  // Nothing is uploaded for a short command.
  place = { sandbox: {} as CommandPlace["sandbox"], execd, env: {}, encoder: "shell" }
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

const event = (type: string, text: string) =>
  `data: ${JSON.stringify({ type, text: Buffer.from(text).toString("base64") })}`
const error = (evalue: string) => JSON.stringify({ type: "error", error: { ename: "E", evalue } })
const complete = '{"type":"execution_complete"}'

async function run() {
  const output: string[] = []
  const { exitCode } = await runCommand(place, "true", {
    ...{ cwd: "/", env: {}, stdin: new Uint8Array(), timeoutMs: null },
    signal: new AbortController().signal,
    onOutput: ({ stream, bytes }) => void output.push(`${stream} ${Buffer.from(bytes)}`),
  })
  return { exitCode, output }
}

describe("a command of OpenSandbox", () => {
  it("R12.opensandbox: ends at its end, also where the server keeps the stream open", async () => {
    isHeldOpen = true
    lines = (mark) => [
      event("stdout", "out"),
      event("stdout", `put${mark}3;`),
      event("stderr", mark),
    ]
    expect(await run()).toEqual({ exitCode: 3, output: ["stdout out", "stdout put"] })
    isHeldOpen = false
  })

  it("R12.opensandbox: whose end nobody tells fails, and never looks as if it went well", async () => {
    const unknown = { kind: "unavailable", message: expect.stringContaining("Nobody knows how") }
    for (const said of [[], [event("stdout", "out")], [complete], [error("gone")]]) {
      lines = () => said
      await expect(run()).rejects.toMatchObject(unknown)
    }
    lines = () => ["data: no JSON"]
    await expect(run()).rejects.toMatchObject({ kind: "unavailable" })
  })

  it("R12.opensandbox: that killed what would tell its end has the exit code that the server knows", async () => {
    lines = () => [event("stdout", "out"), error("137"), complete]
    expect(await run()).toEqual({ exitCode: 137, output: ["stdout out"] })
  })

  it("R12.opensandbox: bytes that look like the beginning of a mark are not lost", () => {
    const stream = untilMark("abab1")
    const pieces = ["xab", "ab", "2aba", "b1", "7;"].map((text) => stream.add(Buffer.from(text)))
    expect(Buffer.concat(pieces).toString()).toBe("xabab2")
    expect(stream.rest()).toBe("7;")
  })
})
