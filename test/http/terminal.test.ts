import { spawn } from "node:child_process"
import { once } from "node:events"
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest"
import { WebSocket as RawSocket } from "ws"
import { type ApiError, createClient } from "../../src/api/index.ts"
import type { Terminal } from "../../src/contract/index.ts"
import { createQuestions, serveApi } from "../../src/http/index.ts"
import { systemClock } from "../../src/kit/index.ts"
import type { HttpServer } from "../../src/mcp/index.ts"
import { createPreviewHub } from "../../src/sandbox/index.ts"
import { openToolkeep, type Toolkeep } from "../../src/session/index.ts"
import { openRecord, type RecordStore } from "../../src/store/index.ts"

const home = mkdtempSync(join(tmpdir(), "toolkeep-terminal-"))
// Sandboxes run as other users and walk through it.
chmodSync(home, 0o755)
let server: HttpServer
let keep: Toolkeep
let store: RecordStore
let base = ""
/** Added to the time that the server sees. */
let laterMs = 0
const clock = { ...systemClock, now: () => systemClock.now() + laterMs }

beforeAll(async () => {
  store = await openRecord({ file: join(home, "record.sqlite") })
  keep = await openToolkeep({ host: "bubblewrap", home, record: store })
  server = await serve()
  base = `http://127.0.0.1:${server.port}`
})

function serve(): Promise<HttpServer> {
  const previewHub = createPreviewHub()
  const questions = createQuestions({ store, clock })
  const tokens = ["0123456789abcdef0123456789abcdef"]
  return serveApi(keep, { store, home, questions, previewHub, tokens, port: 0, clock })
}

afterAll(async () => {
  await server?.close()
  await keep?.close()
  await store?.close()
  rmSync(home, { recursive: true, force: true })
})

const size = { columns: 80, rows: 24 }
const place = { session: "demo", sandbox: "default" }
const owner = (url = base) => createClient({ url, token: server.token })

/** What a terminal shows, as it comes. */
function screenOf(terminal: Terminal) {
  let text = ""
  const read = async () => {
    const decoder = new TextDecoder()
    for await (const bytes of terminal.output) text += decoder.decode(bytes, { stream: true })
  }
  const whole = read()
  const shows = (wanted: string) => expect.poll(() => text, { timeout: 60_000 }).toContain(wanted)
  return { shows, whole, text: () => text }
}

/** A socket as any program opens it, and what it hears. */
async function connect(headers: Record<string, string> = {}) {
  const socket = new RawSocket(`ws://127.0.0.1:${server.port}/api/terminals`, { headers })
  onTestFinished(() => socket.terminate())
  const heard: unknown[] = []
  const bytes: Buffer[] = []
  socket.on("message", (data: Buffer, isBinary) => {
    if (isBinary) bytes.push(data)
    else heard.push(JSON.parse(String(data)))
  })
  const closed = once(socket, "close").then(([code, reason]) => `${code} ${reason}`)
  const say = (message: unknown) => socket.send(JSON.stringify(message))
  await Promise.race([once(socket, "open"), closed])
  return { socket, heard, bytes, closed, say, text: () => Buffer.concat(bytes).toString() }
}

async function ticket(more: object = {}): Promise<string> {
  const given = { ...place, ...size, ...more }
  return (await owner().request("terminals.create", given)).ticket
}

/** A connected terminal that runs this command. */
async function attach(command: string) {
  const attached = await connect()
  attached.say({ ticket: await ticket({ command }) })
  await expect.poll(() => attached.heard).toContainEqual({ opened: true })
  return attached
}

/** Processes of this machine whose command line has the text. */
function processesWith(text: string): readonly string[] {
  const commandOf = (pid: string) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "utf8")
    } catch {
      return ""
    }
  }
  return readdirSync("/proc").filter((pid) => /^\d+$/.test(pid) && commandOf(pid).includes(text))
}

const refusal = (asked: Promise<unknown>) =>
  asked.then(
    () => "no refusal",
    ({ status, kind }: ApiError) => ({ status, kind }),
  )

describe("a terminal over HTTP", () => {
  it("Y16: shows what is typed and drawn, is resized, takes Ctrl-C, and ends with its exit code", async () => {
    const terminal = await owner().terminal({ ...place, ...size })
    const { shows, whole, text } = screenOf(terminal)
    await terminal.write("tty; stty size\n")
    await shows("/dev/pts/0\r\n24 80\r\n")
    await terminal.write("trap 'echo redrawn $(stty size)' WINCH; echo trap''ped\n")
    await shows("trapped\r\n")
    await terminal.resize(132, 43)
    await shows("redrawn 43 132\r\n")
    // Both at once: a program draws once.
    expect(text().match(/redrawn \d/g)).toHaveLength(1)
    await terminal.write("sleep 8311; echo code $?\n")
    await expect.poll(() => processesWith("sleep\x008311")).toHaveLength(1)
    await terminal.write("\x03")
    await terminal.write("echo still''here\n")
    await shows("stillhere\r\n")
    expect(processesWith("sleep\x008311")).toEqual([])
    await terminal.write("exit 7\n")
    expect(await terminal.ended).toEqual({ kind: "exited", exitCode: 7 })
    await whole
    await terminal.write("nobody reads this")
  })

  it("Y16: passes on 300 kB of input to the byte, in both directions at once", async () => {
    const command = "stty raw -echo; echo ready; head -c 300000 | tee copy | cat; exit"
    const terminal = await owner().terminal({ ...place, ...size, command })
    const { shows, whole, text } = screenOf(terminal)
    await shows("ready")
    const typed = Buffer.from("0123456789".repeat(30_000))
    await terminal.write(typed)
    await whole
    expect(text().replace(/^ready\s*/, "").length).toBe(typed.length)
    const { body } = await owner().download("files.read", { ...place, path: "copy" })
    expect(Buffer.concat(await Array.fromAsync(body ?? []))).toEqual(typed)
  })

  it("Y16: a program waits for a client that acknowledges slowly, and the server's memory stays bounded", async () => {
    const flood = 50 * 1024 * 1024
    const attached = await attach(`stty -opost; head -c ${flood} /dev/zero; echo > flooded`)
    const received = () => attached.bytes.reduce((sum, { length }) => sum + length, 0)
    const windowBytes = 128 * 1024
    await expect.poll(received).toBe(windowBytes)
    const before = process.memoryUsage()
    let total = 0
    let most = 0
    const files = () => keep.sessions().find(({ name }) => name === place.session)
    while (total < flood) {
      await expect.poll(received, { interval: 1 }).toBeGreaterThan(0)
      const taken = received()
      expect(taken).toBeLessThanOrEqual(windowBytes)
      attached.bytes.length = 0
      total += taken
      const { rss } = process.memoryUsage()
      most = Math.max(most, rss - before.rss)
      attached.say({ acknowledge: taken })
    }
    expect(total).toBe(flood)
    expect(most).toBeLessThan(64 * 1024 * 1024)
    await expect
      .poll(() => attached.heard)
      .toContainEqual({ ended: { kind: "exited", exit_code: 0 } })
    expect(await (await files()?.workspace())?.exists("flooded")).toBe(true)
  }, 300_000)

  it("Y16: a flood that nobody acknowledges stops after 128 KiB, and Ctrl-C still ends it", async () => {
    const attached = await attach("trap 'exit 9' INT; while :; do echo 0123456789; done")
    const received = () => attached.bytes.reduce((sum, { length }) => sum + length, 0)
    await expect.poll(received).toBe(128 * 1024)
    attached.socket.send(Buffer.from("\x03"))
    const acknowledge = setInterval(() => {
      const taken = received()
      attached.bytes.length = 0
      if (taken > 0) attached.say({ acknowledge: taken })
    }, 20)
    onTestFinished(() => clearInterval(acknowledge))
    await expect
      .poll(() => attached.heard)
      .toContainEqual({ ended: { kind: "exited", exit_code: 9 } })
  })
})

describe("the end of a terminal", () => {
  it("O29: leaves no process when the client dies", async () => {
    const client = `
      import { createClient } from ${JSON.stringify(join(process.cwd(), "src/api/index.ts"))}
      const client = createClient({ url: ${JSON.stringify(base)}, token: ${JSON.stringify(server.token)} })
      const terminal = await client.terminal({ session: "demo", sandbox: "default", columns: 80, rows: 24 })
      await terminal.write("setsid sleep 8312 & nohup sleep 8312 & sleep 8312\\n")
      for await (const bytes of terminal.output) {}`
    const child = spawn(process.execPath, ["--input-type=module", "-e", client], {
      stdio: ["ignore", "ignore", "inherit"],
    })
    onTestFinished(() => void child.kill("SIGKILL"))
    await expect.poll(() => processesWith("sleep\x008312"), { timeout: 60_000 }).toHaveLength(3)
    child.kill("SIGKILL")
    await expect.poll(() => processesWith("sleep\x008312"), { timeout: 60_000 }).toEqual([])
  }, 120_000)

  it("O29: leaves no process when it is closed, or its signal aborts", async () => {
    const stop = new AbortController()
    const [closed, aborted] = [
      await owner().terminal({ ...place, ...size, command: "sleep 8313" }),
      await owner().terminal({ ...place, ...size, command: "sleep 8313" }, { signal: stop.signal }),
    ]
    await expect.poll(() => processesWith("sleep\x008313")).toHaveLength(2)
    await closed.close()
    stop.abort()
    expect(await closed.ended).toEqual({ kind: "closed" })
    expect(await aborted.ended).toEqual({ kind: "closed" })
    await expect.poll(() => processesWith("sleep\x008313")).toEqual([])
  })

  it("O29: is said to the client when its sandbox sleeps, and when the server stops", async () => {
    const terminal = await owner().terminal({ ...place, ...size })
    await owner().request("sandboxes.sleep", place)
    expect(await terminal.ended).toEqual({ kind: "gone", why: "The sandbox went to sleep." })

    const other = await serve()
    const client = owner(`http://127.0.0.1:${other.port}`)
    const last = await client.terminal({ ...place, ...size, command: "sleep 8314" })
    await other.close()
    expect(await last.ended).toEqual({ kind: "gone", why: "The server is stopping." })
    await expect.poll(() => processesWith("sleep\x008314")).toEqual([])
  })

  it("C18: a revoked token types nothing more", async () => {
    const { token, secret } = await owner().request("tokens.create", { name: "a", kind: "owner" })
    const terminal = await createClient({ url: base, token: secret }).terminal({
      ...{ ...place, ...size, command: "read -r line; echo > typed; sleep 8315" },
    })
    await owner().request("tokens.revoke", { token })
    await terminal.write("line\n")
    expect(await terminal.ended).toEqual({ kind: "gone", why: "The token is not valid any more." })
    await expect.poll(() => processesWith("sleep\x008315")).toEqual([])
  })
})

describe("a terminal is refused", () => {
  const invalid = "1008 The ticket is not valid."

  it("C18: for a ticket that is forged, used, expired or not the first message, and for what is said beside it", async () => {
    const used = await ticket({ command: "sleep 8316" })
    const first = await connect()
    first.say({ ticket: used })
    await expect.poll(() => first.heard).toContainEqual({ opened: true })
    const expired = await ticket()
    laterMs += 10_001
    const messages = [
      { ticket: used },
      { ticket: expired },
      { ticket: "A".repeat(20) },
      { ticket: "" },
      { ticket: await ticket(), sandbox: "other" },
      { ticket: [await ticket()] },
      { resize: size },
      [],
      null,
    ]
    for (const message of messages) {
      const { say, closed, heard } = await connect()
      say(message)
      expect([message, await closed, heard]).toEqual([message, invalid, []])
    }
    const binary = await connect()
    binary.socket.send(Buffer.from(JSON.stringify({ ticket: await ticket() })))
    expect(await binary.closed).toBe(invalid)
    const inAddress = new RawSocket(
      `ws://127.0.0.1:${server.port}/api/terminals?ticket=${await ticket()}`,
    )
    await once(inAddress, "open")
    inAddress.send("{}")
    expect((await once(inAddress, "close"))[0]).toBe(1008)
  })

  it("C18: and a ticket opens its own sandbox and no other", async () => {
    for (const sandbox of ["one", "two"]) {
      await owner().request("sandboxes.create", { session: "demo", sandbox })
      await owner().request(
        "files.write",
        { session: "demo", sandbox, path: "name" },
        {
          body: new Blob([sandbox]),
        },
      )
    }
    const attached = await connect()
    attached.say({ ticket: await ticket({ sandbox: "two", command: "cat name" }) })
    await expect
      .poll(() => attached.heard)
      .toContainEqual({ ended: { kind: "exited", exit_code: 0 } })
    expect(attached.text()).toBe("two")
  })

  it("C18: when no message comes in time", async () => {
    const { closed } = await connect()
    expect(await closed).toBe("1008 No ticket came in time.")
  }, 60_000)

  it.each([
    ["another site", { Origin: "https://evil.example" }],
    ["another port of this machine", { Origin: "http://127.0.0.1:1" }],
    ["a page without an origin", { Origin: "null" }],
    ["another name", { Host: "evil.example" }],
    ["a request across sites", { "Sec-Fetch-Site": "cross-site" }],
  ])("C18: to %s, before anything is read", async (_, headers) => {
    const socket = new RawSocket(`ws://127.0.0.1:${server.port}/api/terminals`, { headers })
    const [error] = await once(socket, "error")
    expect(String(error)).toMatch(/Unexpected server response: 40[03]/)
  })

  it("C18: at any other path", async () => {
    for (const path of ["/mcp", "/api", "/api/sessions", "/api/terminals/x", "/api/Terminals"]) {
      const socket = new RawSocket(`ws://127.0.0.1:${server.port}${path}`)
      const [error] = await once(socket, "error")
      expect([path, String(error)]).toEqual([path, expect.stringMatching(/response: 40[0-6]/)])
    }
  })

  it("C18: to tokens of a session, to read or to answer questions, and without any", async () => {
    const given = { ...place, ...size }
    for (const kind of ["read", "approve", "session"] as const) {
      const session = kind === "session" ? { session: "demo" } : {}
      const { secret } = await owner().request("tokens.create", { name: kind, kind, ...session })
      const client = createClient({ url: base, token: secret })
      expect(await refusal(client.terminal(given))).toEqual({ status: 403, kind: "rejected" })
    }
    const stranger = createClient({ url: base })
    expect(await refusal(stranger.terminal(given))).toMatchObject({ status: 401 })
  })

  it.each([
    ["acknowledges more than there was", { acknowledge: 1_000_000 }],
    ["acknowledges less than nothing", { acknowledge: -1 }],
    ["has no such size", { resize: { columns: 0, rows: 24 } }],
    ["has a size too large", { resize: { columns: 80, rows: 100_000 } }],
    ["says what it does not know", { type: "text" }],
    ["is longer than a message", { resize: { ...size, more: "x".repeat(2_000) } }],
  ])("C18: to a client that %s", async (_, message) => {
    const attached = await attach("sleep 8317")
    attached.say(message)
    expect(await attached.closed).toMatch(/^1008 /)
    await expect.poll(() => processesWith("sleep\x008317")).toEqual([])
  })

  it("C18: to a client that sends frames larger than the window, or more than the program takes", async () => {
    const large = await attach("sleep 8318")
    large.socket.send(Buffer.alloc(128 * 1024 + 1))
    expect(await large.closed).toMatch(/^1009 /)
    const sleeping = () => processesWith("sleep\x008318").length
    await expect.poll(sleeping).toBe(0)
    const many = await attach("stty raw -echo; sleep 8318")
    // Before that the terminal drops what is too much of one line, and so takes everything.
    await expect.poll(sleeping).toBeGreaterThan(0)
    for (let sent = 0; sent < 64; sent += 1) many.socket.send(Buffer.alloc(64 * 1024))
    expect(await many.closed).toBe("1008 More was typed than is taken.")
    await expect.poll(() => processesWith("sleep\x008318")).toEqual([])
  })
})
