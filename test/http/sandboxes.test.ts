import { once } from "node:events"
import { chmodSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { WebSocket } from "ws"
import { createClient } from "../../src/api/index.ts"
import { createQuestions, serveApi } from "../../src/http/index.ts"
import { systemClock } from "../../src/kit/index.ts"
import { bubblewrapHost, createPreviewHub } from "../../src/sandbox/index.ts"
import { openToolkeep, type Toolkeep } from "../../src/session/index.ts"
import { openRecord } from "../../src/store/index.ts"
import { ask, read, responseOf, startServerInside } from "../support/sandbox/preview-fixture.ts"
import { openStandIn, publicAddress } from "../support/sandbox/stand-in-fixture.ts"

interface Served extends AsyncDisposable {
  readonly keep: Toolkeep
  readonly port: number
  readonly token: string
}

/** A server with sandboxes that reach one name of a stand-in for the world. */
async function serve(
  limits?: NonNullable<Parameters<typeof serveApi>[1]["limits"]>,
): Promise<Served> {
  const home = mkdtempSync(join(tmpdir(), "toolkeep-sandboxes-"))
  // Sandboxes run as other users and walk through it.
  chmodSync(home, 0o755)
  const store = await openRecord({ file: join(home, "record.sqlite") })
  const world = await openStandIn()
  world.names.set("allowed.example", [publicAddress])
  const previewHub = createPreviewHub()
  const questions = createQuestions({ store, clock: systemClock })
  const host = bubblewrapHost({ directory: join(home, "bubblewrap"), dialer: world.dialer })
  const network = { kind: "allow-list", domains: ["allowed.example"] } as const
  const keep = await openToolkeep({ host, home, network, record: store, previewHub, effects: true })
  const tokens = ["0123456789abcdef0123456789abcdef"]
  const served = { store, home, questions, previewHub, tokens, port: 0, limits }
  const { port, token, close } = await serveApi(keep, served)
  return {
    ...{ keep, port, token },
    async [Symbol.asyncDispose]() {
      await close()
      await keep.close()
      await store.close()
      await world[Symbol.asyncDispose]()
      rmSync(home, { recursive: true, force: true })
    },
  }
}

/** Whether the server still has its end of the connection from this port. */
function isConnected(server: number, client: number): boolean {
  const end = (port: number) => `0100007F:${port.toString(16).toUpperCase().padStart(4, "0")}`
  return readFileSync("/proc/net/tcp", "utf8").includes(`${end(server)} ${end(client)} 01 `)
}

const clientOf = ({ port, token }: Served) =>
  createClient({ url: `http://127.0.0.1:${port}`, token })

let server: Served
beforeAll(async () => {
  server = await serve()
})
afterAll(() => server?.[Symbol.asyncDispose]())

const owner = () => clientOf(server)

const run = (session: string, command: string) =>
  owner().request("calls.start", { session, tool: "shell.exec", input: { command } })

describe("the use of a sandbox", () => {
  const place = { session: "used", sandbox: "default" }
  const usage = () => owner().request("sandboxes.usage", place)

  it("O4: grows with what runs and with its files, against its limits", async () => {
    await run("used", "true")
    const before = await usage()
    expect(before).toMatchObject({
      cpu: { used: expect.any(Number), limit: 2 },
      memory: { used: expect.any(Number), limit: 2 * 1024 ** 3 },
      disk: { used: expect.any(Number), limit: expect.any(Number) },
      processes: { used: expect.any(Number), limit: expect.any(Number) },
    })
    const eats = "import time; held = bytearray(60_000_000); time.sleep(8207)"
    const command = `head -c 5000000 /dev/urandom >big; python3 -c '${eats}'`
    await owner().request("calls.start", {
      ...{ session: "used", tool: "process.start", input: { command } },
    })
    await expect
      .poll(async () => Number((await usage()).memory.used), { timeout: 60_000 })
      .toBeGreaterThan(Number(before.memory.used) + 50_000_000)
    const grown = await usage()
    expect(Number(grown.processes.used)).toBeGreaterThan(Number(before.processes.used))
    expect(Number(grown.cpu.used)).toBeGreaterThan(Number(before.cpu.used))
    await expect
      .poll(async () => Number((await usage()).disk.used), { timeout: 60_000 })
      .toBeGreaterThanOrEqual(5_000_000)
  })

  it("O4: is nothing but its files while it sleeps, and looking wakes nothing", async () => {
    await owner().request("sandboxes.sleep", place)
    expect(await usage()).toMatchObject({
      ...{ cpu: { used: 0 }, memory: { used: 0 }, processes: { used: 0 } },
      disk: { used: expect.toSatisfy((bytes: number) => bytes >= 5_000_000) },
    })
    const { sandboxes } = await owner().request("sandboxes.list", { session: "used" })
    expect(sandboxes).toMatchObject([{ sandbox: "default", status: "sleeping" }])
    await expect(
      owner().request("sandboxes.usage", { ...place, sandbox: "none" }),
    ).rejects.toMatchObject({ kind: "not_found" })
  })
})

it("O24, O4: what a background process writes is read from its end on, and no character is torn", async () => {
  const place = { session: "writes", sandbox: "default" }
  const client = owner()
  const command =
    "head -c 70000 /dev/zero | tr '\\0' x; printf '\\303'; until [ -e go ]; do sleep 0.05; done; printf '\\244 end'"
  const { envelope } = await client.request("calls.start", {
    ...{ session: "writes", tool: "process.start", input: { command } },
  })
  const process = String(Object(envelope).result.id)
  const read = (after?: number) =>
    client.request("processes.output", { ...place, process, ...(after !== undefined && { after }) })
  await expect.poll(async () => (await read()).next).toBe(70_000)
  const first = await read()
  expect(first).toMatchObject({ from: 70_001 - 65_536, state: "running" })
  expect(new Set(first.text)).toEqual(new Set("x"))
  expect(await read(first.next)).toMatchObject({ text: "", next: 70_000 })
  await run("writes", "touch go")
  await expect.poll(async () => (await read(first.next)).state).toBe("exited")
  expect(await read(first.next)).toMatchObject({ text: "ä end", next: 70_006 })
})

describe("the past of a sandbox", () => {
  const session = "past"
  const place = { session, sandbox: "default" }

  it("C8, O24: is what happened to it and the calls in it, with both sides of a fork and of a transfer", async () => {
    const client = owner()
    await run(session, "echo one >file")
    await client.request("sandboxes.fork", { ...place, to: "copy" })
    // A fork has put it to sleep.
    await client.request("sandboxes.wake", place)
    await client.request("sandboxes.sleep", place)
    await client.request("sandboxes.wake", place)
    await client.request("sandboxes.transfer", {
      ...{ session, from_sandbox: "copy", from_path: "file" },
      ...{ to_sandbox: "default", to_path: "file" },
    })
    await client.request("sandboxes.destroy", { session, sandbox: "copy" })
    const whatOf = async (sandbox: string) => {
      const { events } = await client.request("sandboxes.history", { session, sandbox })
      return events.map(({ what, tool = "", to = "" }) => [what, tool, to].join(" ").trim())
    }
    await expect
      .poll(() => whatOf("copy"))
      .toEqual([...["destroyed", "transferred  default", "forked-from  default", "created"]])
    const own = await whatOf("default")
    expect(own.slice(0, 3)).toEqual(["received  copy", "woke", "slept"])
    expect(own).toContain("forked  copy")
    expect(own.slice(-2).toSorted()).toEqual(["call shell.exec", "created"])
  })

  it("C18.restrict, O24: has each host that was reached and refused, with the rule, however often it was tried", async () => {
    const tries = "for at in 1 2 3; do curl -s http://refused.example; done"
    await run(session, `curl -s http://allowed.example/; ${tries}; true`)
    const log = async () => {
      const { decisions, ...rest } = await owner().request("sandboxes.network", place)
      const all = decisions.map(({ target, port, allowed, rule, times }) => {
        return { target, port, allowed, rule, times }
      })
      const timesOf = (target: string) =>
        all.filter((one) => one.target === target).reduce((sum, { times }) => sum + times, 0)
      return { all, rest, refusedTimes: timesOf("refused.example") }
    }
    await expect.poll(async () => (await log()).refusedTimes).toBe(3)
    const { all, rest } = await log()
    expect(rest).toEqual({ unknown: null, next: null })
    expect(all).toContainEqual({
      ...{ target: "allowed.example", port: 80, allowed: true, times: 1 },
      rule: expect.stringContaining("allowed.example"),
    })
    expect(all.at(0)).toMatchObject({
      ...{ target: "refused.example", port: 80, allowed: false },
      rule: "nothing on the allow-list matches",
    })
    const other = await owner().request("sandboxes.network", { session, sandbox: "copy" })
    expect(other.decisions).toEqual([])
  })

  it("O24: is read page by page, and outlives the session's end", async () => {
    const before = await owner().request("sandboxes.history", place)
    const [first] = before.events
    const rest = await owner().request("sandboxes.history", {
      ...{ ...place, before: first?.sequence ?? 0 },
    })
    expect(rest.events).toEqual(before.events.slice(1))
    await server.keep.session(session).close()
    const { events } = await owner().request("sandboxes.history", place)
    expect(events[0]).toMatchObject({ what: "slept" })
    expect(events.slice(1)).toEqual(before.events)
  })
})

describe("what is sent and read slowly", () => {
  const limits = { requestMs: 1_000, requestStepBytes: 1_000, unreadMs: 3_000, headerMs: 3_000 }
  let strict: Served
  beforeAll(async () => {
    strict = await serve(limits)
    await startServerInside(await strict.keep.session("slow").workspace())
  })
  afterAll(() => strict?.[Symbol.asyncDispose]())

  /** Sends so many bytes again and again, with pauses, until all are sent or nobody takes them. */
  async function send(
    url: string,
    { method = "PUT", type = "application/octet-stream", bytes, times, pauseMs }: Sending,
  ): Promise<{ readonly status: number; readonly text: string }> {
    const asked = ask(url, {
      method,
      headers: {
        ...{ Authorization: `Bearer ${strict.token}`, "Content-Type": type },
        "Content-Length": String(bytes * times),
      },
    })
    const answered = read(asked)
    let isOver = false
    const over = () => {
      isOver = true
    }
    answered.then(over, over)
    for (let sent = 0; sent < times && !isOver; sent += 1) {
      asked.write(Buffer.alloc(bytes, " "))
      await sleep(pauseMs)
    }
    if (!isOver) asked.end()
    return answered
  }
  interface Sending {
    readonly method?: string
    readonly type?: string
    readonly bytes: number
    readonly times: number
    readonly pauseMs: number
  }
  const api = (path: string) => `http://127.0.0.1:${strict.port}/api/sessions/slow/${path}`
  const file = (path: string) => api(`sandboxes/default/file?path=${path}`)
  /** Longer than a whole request may take. */
  const moving = { bytes: 4_000, times: 20, pauseMs: 150 }
  const crawling = { bytes: 1, times: 100, pauseMs: 150 }

  it("F20, O4: a file may take longer than a request while it moves; one that hardly moves is ended and leaves nothing", async () => {
    expect(await send(file("moved"), moving)).toMatchObject({
      status: 200,
      text: '{"bytes":80000}',
    })
    expect(await send(file("crawled"), crawling)).toMatchObject({
      ...{ status: 408, text: "The request was sent too slowly.\n" },
    })
    const { entries } = await clientOf(strict).request("files.list", {
      ...{ session: "slow", sandbox: "default", path: "." },
    })
    const names = entries.map(({ name }) => name)
    expect(names).toContain("moved")
    expect(names).not.toContain("crawled")
  })

  it("F20: any other request has to be there in time, however much of it comes", async () => {
    const sent = send(api("calls"), { ...moving, method: "POST", type: "application/json" })
    expect(await sent).toMatchObject({ status: 408 })
    const mcp = send(`http://127.0.0.1:${strict.port}/mcp`, {
      ...{ ...moving, method: "POST", type: "application/json" },
    })
    expect(await mcp).toMatchObject({ status: 408 })
  })

  it("F20, O4: an answer that takes long to begin is waited for, a slow reader gets all of it, and one that reads nothing is cut off", async () => {
    const client = clientOf(strict)
    const command = "sleep 3.5; head -c 33554432 /dev/zero >big; echo done"
    const { envelope } = await client.request("calls.start", {
      ...{ session: "slow", tool: "shell.exec", input: { command } },
    })
    expect(envelope).toMatchObject({ ok: true, result: { stdout: "done\n" } })
    const headers = { Authorization: `Bearer ${strict.token}` }
    const slow = await responseOf(ask(file("big"), { headers }).end())
    let bytes = 0
    for await (const piece of slow) {
      bytes += piece.length
      await sleep(4)
    }
    expect(bytes).toBe(33_554_432)
    const unread = await responseOf(ask(file("big"), { headers }).end())
    unread.pause()
    // A client that does not read does not notice its end either.
    const port = unread.socket.localPort ?? 0
    await expect.poll(() => isConnected(strict.port, port)).toBe(false)
    await expect(unread.toArray()).rejects.toThrow("aborted")
  })

  it("C6, O27: a preview takes an upload that takes longer than a request, and a WebSocket, at this server's port", async () => {
    const { envelope } = await clientOf(strict).request("calls.start", {
      ...{ session: "slow", tool: "sandbox.browse", input: { port: 8000 } },
    })
    const url = String(Object(envelope).result.url)
    expect(new URL(url).port).toBe(String(strict.port))
    expect(await send(new URL("/count", url).href, { ...moving, method: "POST" })).toMatchObject({
      ...{ status: 200, text: "80000" },
    })
    const { host } = new URL(url)
    const open = (headers: Readonly<Record<string, string>> = {}) =>
      new WebSocket(`ws://127.0.0.1:${strict.port}/chat`, { headers: { Host: host, ...headers } })
    const socket = open()
    const heard: string[] = []
    socket.on("message", (data) => heard.push(String(data)))
    await once(socket, "open")
    socket.send("first")
    // Silent for longer than any answer may be.
    await sleep(2 * limits.requestMs)
    socket.send("second")
    await expect.poll(() => heard).toEqual(["first", "second"])
    socket.close()
    await once(socket, "close")
    const foreign = open({ Origin: `http://127.0.0.1:${strict.port}` })
    const [problem]: Error[] = await once(foreign, "error")
    expect(String(problem)).toContain("403")
  })
})
