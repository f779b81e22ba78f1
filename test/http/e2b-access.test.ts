import { once } from "node:events"
import { connect } from "node:net"
import { Sandbox } from "e2b"
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest"
import { createClient } from "../../src/api/index.ts"
import { httpLimits } from "../../src/http/limits.ts"
import { type E2bServer, serveE2b } from "../support/http/e2b-fixture.ts"

let server: E2bServer
let sandbox: Sandbox
let other: Sandbox
beforeAll(async () => {
  server = await serveE2b({
    tools: {
      hooks: { confirm: ["file.remove"] },
      rules: [
        { deny: "process.kill", when: { signal: "KILL" }, because: "Nothing is killed here." },
        { deny: "shell.exec", when: { command: "git push" }, because: "Pushing is for people." },
      ],
    },
  })
  sandbox = await Sandbox.create(server.connection)
  other = await Sandbox.create(server.connection)
})
afterAll(() => server?.[Symbol.asyncDispose]())

const owner = () =>
  createClient({ url: `http://127.0.0.1:${server.port}`, token: server.connection.apiKey })

const refusal = (asked: Promise<unknown>) =>
  asked.then(
    () => "no refusal",
    (error: Error) => `${error.constructor.name}: ${error.message}`,
  )

/** What the SDK keeps to itself. */
const accessTokenOf = (one: Sandbox) =>
  (one as unknown as { readonly envdAccessToken: string }).envdAccessToken

const headersOf = (one: Sandbox) => ({
  "E2b-Sandbox-Id": one.sandboxId,
  "X-Access-Token": accessTokenOf(one),
})

const send = (path: string, init: RequestInit = {}) =>
  fetch(`${server.connection.apiUrl}${path}`, { method: "POST", ...init })

const callRpc = (
  path: string,
  body: unknown,
  headers: Record<string, string> = headersOf(sandbox),
) =>
  send(path, {
    body: typeof body === "string" ? body : JSON.stringify(body),
    headers: { "Content-Type": "application/json", ...headers },
  })

function envelope(message: string, flags = 0, length = Buffer.byteLength(message)) {
  const head = Buffer.alloc(5)
  head.writeUInt8(flags, 0)
  head.writeUInt32BE(length, 1)
  return Buffer.concat([head, Buffer.from(message)])
}

const stream = (path: string, body: Uint8Array) =>
  send(path, {
    body: new Uint8Array(body),
    headers: { "Content-Type": "application/connect+json", ...headersOf(sandbox) },
  })

/** The messages of a stream that has ended. */
async function messagesOf(response: Response): Promise<readonly unknown[]> {
  const bytes = Buffer.from(await response.arrayBuffer())
  const messages: unknown[] = []
  for (let at = 0; at < bytes.length; ) {
    const end = at + 5 + bytes.readUInt32BE(at + 1)
    messages.push(JSON.parse(bytes.toString("utf8", at + 5, end)))
    at = end
  }
  return messages
}

describe("a call of E2B's SDK", () => {
  it("R12: is recorded in the session with the sandbox's id, with what it did and printed", async () => {
    await sandbox.commands.run("echo recorded", { envs: { A: "1" } })
    await sandbox.files.write("noted.txt", "content")
    const session = sandbox.sandboxId
    const { entries } = await owner().request("entries.list", { session })
    const bodies = entries.map(({ body }) => body as Readonly<Record<string, unknown>>)
    expect(bodies).toContainEqual(
      expect.objectContaining({
        ...{ tool: "shell.exec", input: { command: "echo recorded", env: { A: "1" } } },
      }),
    )
    expect(JSON.stringify(bodies)).toContain("recorded\\n")
    expect(bodies).toContainEqual(
      expect.objectContaining({
        tool: "file.write",
        input: expect.objectContaining({ path: "noted.txt" }),
      }),
    )
  })

  it("R12: waits for a person where the policy asks, and is refused in words where it denies", async () => {
    const alone = await refusal(sandbox.files.remove("noted.txt"))
    expect(alone).toMatch(/^SandboxError: 7: \[permission_denied\] .*Nobody is there/)
    onTestFinished(server.questions.watch(() => {}))
    const removed = refusal(sandbox.files.remove("noted.txt"))
    await expect.poll(async () => (await server.questions.list()).length).toBe(1)
    const [question] = await server.questions.list()
    if (!question) throw new Error("Nobody was asked.")
    expect(question).toMatchObject({ tool: "file.remove", session: sandbox.sandboxId })
    const denial = { question: question.question, answer: "deny", reason: "Keep it." } as const
    await owner().request("questions.answer", denial)
    expect(await removed).toMatch(/^SandboxError: 7: \[permission_denied\] .*Keep it/)
    expect(await sandbox.files.exists("noted.txt")).toBe(true)
    const running = await sandbox.commands.run("exec sleep 1011", {
      background: true,
      timeoutMs: 0,
    })
    expect(await refusal(running.kill())).toMatch(/permission_denied\] .*Nothing is killed here/)
    const pushed = sandbox.commands.run("cd /tmp && git push")
    expect(await refusal(pushed)).toMatch(/^SandboxError: 7: .*Pushing is for people/)
    expect(await sandbox.commands.list()).toHaveLength(1)
    // The client that asked is gone: its question is, too.
    const leaving = new AbortController()
    const gone = refusal(sandbox.files.remove("noted.txt", { signal: leaving.signal }))
    await expect.poll(async () => (await server.questions.list()).length).toBe(1)
    leaving.abort()
    expect(await gone).toMatch(/^\w+Error/)
    await expect.poll(async () => (await server.questions.list()).length).toBe(0)
  })
})

describe("a stranger", () => {
  it("R12: without a valid key gets nothing, and each key only what is its own", async () => {
    const { apiUrl, sandboxUrl } = server.connection
    const at = (apiKey: string) => ({ apiKey, apiUrl, sandboxUrl })
    const wrong = at("e2b_0000000000000000000000000000000000000000")
    expect(await refusal(Sandbox.create(wrong))).toMatch(/^AuthenticationError: .*E2B_API_KEY/)
    expect(await refusal(Sandbox.list(wrong).nextItems())).toMatch(/^AuthenticationError/)
    const reader = await owner().request("tokens.create", { name: "reader", kind: "read" })
    expect(await refusal(Sandbox.create(at(reader.secret)))).toMatch(/403: .*does not allow/)
    const shown = await Sandbox.getInfo(sandbox.sandboxId, at(reader.secret))
    expect(shown.sandboxId).toBe(sandbox.sandboxId)
    const own = await owner().request("tokens.create", {
      ...{ name: "own", kind: "session", session: sandbox.sandboxId },
    })
    const mine = await Sandbox.connect(sandbox.sandboxId, at(own.secret))
    expect(await mine.commands.run("echo mine")).toMatchObject({ stdout: "mine\n" })
    const foreign = Sandbox.connect(other.sandboxId, at(own.secret))
    expect(await refusal(foreign)).toMatch(/403: .*only/)
    expect(await refusal(Sandbox.create(at(own.secret)))).toMatch(/403: .*only/)
    const listed = await Sandbox.list(at(own.secret)).nextItems()
    expect(listed.map(({ sandboxId }) => sandboxId)).toEqual([sandbox.sandboxId])
    // A token that is revoked takes what was issued with it along.
    await owner().request("tokens.revoke", { token: own.token })
    expect(await refusal(mine.commands.run("true"))).toMatch(/^AuthenticationError/)
  })

  it("R12: can't use the access token of one sandbox for another, or for one that never was", async () => {
    const token = accessTokenOf(sandbox)
    const tries: readonly Record<string, string>[] = [
      { "E2b-Sandbox-Id": other.sandboxId, "X-Access-Token": token },
      { "E2b-Sandbox-Id": "e2b-000000000000000000000000", "X-Access-Token": token },
      { "E2b-Sandbox-Id": "../../token", "X-Access-Token": token },
      { "E2b-Sandbox-Id": sandbox.sandboxId, "X-Access-Token": `${token}x` },
      { "E2b-Sandbox-Id": sandbox.sandboxId, "X-Access-Token": server.connection.apiKey },
      { "E2b-Sandbox-Id": sandbox.sandboxId },
    ]
    for (const headers of tries) {
      const response = await callRpc("/process.Process/List", {}, headers)
      expect([response.status, await response.json()]).toMatchObject([
        ...[401, { code: "unauthenticated" }],
      ])
      expect((await send("/files?path=noted.txt", { method: "GET", headers })).status).toBe(401)
      expect((await send("/health", { method: "GET", headers })).status).toBe(401)
    }
    const nameless = await callRpc("/process.Process/List", {}, { "X-Access-Token": token })
    expect(await nameless.json()).toMatchObject({
      message: expect.stringContaining("E2B_SANDBOX_URL"),
    })
    // Sessions that are no sandboxes of this API are none here.
    await owner().request("calls.start", { session: "mine", tool: "system.info", input: {} })
    const foreign = Sandbox.getInfo("mine", server.connection)
    expect(await refusal(foreign)).toMatch(/^SandboxNotFoundError/)
  })

  it("R12: can't come from a page of another site, or under another name", async () => {
    const headers = { "X-API-Key": server.connection.apiKey, Origin: "http://evil.example" }
    expect((await send("/v2/sandboxes", { method: "GET", headers })).status).toBe(403)
    const signed = new URL(await sandbox.downloadUrl("noted.txt"))
    expect((await fetch(signed, { headers: { Origin: "http://evil.example" } })).status).toBe(403)
  })
})

describe("what is not right", () => {
  it("R12: a path leads nowhere outside the sandbox's own directories", async () => {
    for (const path of [
      "/etc/shadow",
      "../../../etc/passwd",
      "/home/user/../../proc/1/environ",
      "a\0b",
    ]) {
      expect(await refusal(sandbox.files.read(path))).toMatch(/^InvalidArgumentError/)
      expect(await refusal(sandbox.files.write(path, "x"))).toMatch(/^InvalidArgumentError/)
      expect(await refusal(sandbox.files.list(path))).toMatch(/^InvalidArgumentError/)
      expect(await refusal(sandbox.files.watchDir(path, () => {}))).toMatch(/^InvalidArgumentError/)
    }
    await sandbox.commands.run("ln -sfn / root")
    // A link leads to what a command would see there, which is the sandbox.
    expect(await sandbox.files.read("root/etc/passwd")).toContain("user:")
    expect(await sandbox.files.read("root/etc/passwd")).not.toContain("daemon")
  })

  it("R12: requests in another form are refused in words, and the server goes on", async () => {
    const list = "/process.Process/List"
    const cases: readonly [string, Promise<Response>, string][] = [
      ["no JSON", callRpc(list, "{"), "invalid_argument"],
      ["no object", callRpc(list, "[1]"), "invalid_argument"],
      [
        "a wrong type",
        callRpc("/filesystem.Filesystem/Stat", { path: { a: 1 } }),
        "invalid_argument",
      ],
      [
        "no process",
        callRpc("/process.Process/SendInput", { process: { pid: 1 } }),
        "invalid_argument",
      ],
      [
        "an unknown signal",
        callRpc("/process.Process/SendSignal", { process: { pid: 1 }, signal: "SIGNAL_X" }),
        "invalid_argument",
      ],
      [
        "a binary message",
        callRpc(list, "", { ...headersOf(sandbox), "Content-Type": "application/proto" }),
        "unimplemented",
      ],
      [
        "a packed message",
        callRpc(list, "{}", { ...headersOf(sandbox), "Content-Encoding": "gzip" }),
        "unimplemented",
      ],
      [
        "a large message",
        callRpc("/filesystem.Filesystem/Stat", { path: "x".repeat(9 * 1024 * 1024) }),
        "resource_exhausted",
      ],
    ]
    for (const [name, response, code] of cases) {
      expect([name, await (await response).json()]).toEqual([
        name,
        { code, message: expect.stringMatching(/\w+.*\.$/) },
      ])
    }
    const start = "/process.Process/Start"
    const streams: readonly [string, Uint8Array, string][] = [
      ["nothing", new Uint8Array(), "invalid_argument"],
      ["half a head", Buffer.from([0, 0]), "invalid_argument"],
      ["half a message", envelope("{}", 0, 100), "invalid_argument"],
      ["a huge envelope", envelope("{}", 0, 2 ** 32 - 1), "resource_exhausted"],
      ["no JSON", envelope("{"), "invalid_argument"],
      ["packed", envelope("{}", 1), "unimplemented"],
      ["unknown flags", envelope("{}", 128), "unimplemented"],
      ["no command", envelope("{}"), "invalid_argument"],
      [
        "a variable that changes bash",
        envelope(JSON.stringify({ process: { cmd: "env", envs: { "A B": "1" } } })),
        "invalid_argument",
      ],
    ]
    for (const [name, body, code] of streams) {
      expect([name, await messagesOf(await stream(start, body))]).toEqual([
        name,
        [{ error: { code, message: expect.any(String) } }],
      ])
    }
    expect(await sandbox.commands.list()).toHaveLength(1)
    const [{ pid } = { pid: 0 }] = await sandbox.commands.list()
    const running = await sandbox.commands.connect(pid)
    const terminate = (one: number) =>
      callRpc("/process.Process/SendSignal", { process: { pid: one }, signal: "SIGNAL_SIGTERM" })
    expect((await terminate(pid)).status).toBe(200)
    await expect(running.wait()).rejects.toMatchObject({
      exitCode: -1,
      error: "signal: terminated",
    })
    const ready = Promise.withResolvers<void>()
    const tidy = await sandbox.commands.run(
      "trap 'exit 9' TERM; echo ready; while :; do sleep 0.02; done",
      {
        ...{ background: true, onStdout: () => ready.resolve() },
      },
    )
    await ready.promise
    await terminate(tidy.pid)
    await expect(tidy.wait()).rejects.toMatchObject({ exitCode: 9, error: "exit status 9" })
    expect((await send("/nothing", { method: "GET" })).status).toBe(501)
    expect((await send("/process.Process/Nothing", {})).status).toBe(501)
  })

  it("R12: input can come as a stream of messages, and events of a watcher are asked for", async () => {
    const cat = await sandbox.commands.run("cat", { background: true, stdin: true })
    const process = { pid: cat.pid }
    const messages = [
      { start: { process } },
      { keepalive: {} },
      { data: { input: { stdin: Buffer.from("one ").toString("base64") } } },
      { data: { input: { stdin: Buffer.from([0xc3, 0xa9, 0x0a]).toString("base64") } } },
    ].map((message) => envelope(JSON.stringify(message)))
    const answer = await stream("/process.Process/StreamInput", Buffer.concat(messages))
    expect(await messagesOf(answer)).toEqual([{}, {}])
    await cat.closeStdin()
    expect(await cat.wait()).toMatchObject({ stdout: "one é\n" })

    await sandbox.files.makeDir("polled")
    const rpc = async (method: string, message: unknown) =>
      (await callRpc(`/filesystem.Filesystem/${method}`, message)).json()
    const { watcherId } = (await rpc("CreateWatcher", { path: "polled" })) as { watcherId: string }
    await sandbox.commands.run("echo 1 >polled/a")
    const events: unknown[] = []
    await expect
      .poll(async () => {
        const got = (await rpc("GetWatcherEvents", { watcherId })) as { events: unknown[] }
        events.push(...got.events)
        return events.length
      })
      .toBeGreaterThan(1)
    expect(events[0]).toEqual({ name: "a", type: "EVENT_TYPE_CREATE" })
    const others = await callRpc(
      "/filesystem.Filesystem/GetWatcherEvents",
      { watcherId },
      headersOf(other),
    )
    expect(others.status).toBe(404)
    expect(await rpc("RemoveWatcher", { watcherId })).toEqual({})
    expect(await rpc("GetWatcherEvents", { watcherId })).toMatchObject({ code: "not_found" })
  })

  it("R12: a sandbox has no more watchers than it may have, also when they are made at once", async () => {
    const create = () => callRpc("/filesystem.Filesystem/CreateWatcher", { path: "." })
    const most = httpLimits.e2bWatchers
    const answers = await Promise.all(Array.from({ length: most + 4 }, create))
    const statuses = answers.map(({ status }) => status)
    expect(statuses.filter((status) => status === 200)).toHaveLength(most)
    expect(statuses.filter((status) => status === 429)).toHaveLength(4)
    for (const answer of answers) {
      const { watcherId } = (await answer.json()) as { readonly watcherId?: string }
      if (watcherId) await callRpc("/filesystem.Filesystem/RemoveWatcher", { watcherId })
    }
  })

  it("R12: a client that breaks off an upload leaves no file, and one that is gone holds nothing", async () => {
    const url = new URL(await sandbox.uploadUrl("cut.txt"))
    const socket = connect(server.port, "127.0.0.1")
    await once(socket, "connect")
    socket.write(
      `POST ${url.pathname}${url.search} HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nContent-Length: 1000\r\n\r\nabc`,
    )
    await expect.poll(async () => running("file.write")).toBe(1)
    socket.destroy()
    await expect.poll(async () => running("file.write")).toBe(0)
    expect((await sandbox.files.list(".")).map(({ name }) => name)).not.toContain("cut.txt")
    const { stdout } = await sandbox.commands.run("ls -A | grep -c upload || true")
    expect(stdout).toBe("0\n")
    const watch = await sandbox.files.watchDir("polled", () => {})
    expect(await running("file.list")).toBe(1)
    await watch.stop()
    await expect.poll(async () => running("file.list")).toBe(0)
  })
})

async function running(tool: string): Promise<number> {
  const { sandboxId: session } = sandbox
  const shown = await owner().request("sessions.show", { session })
  return shown.running.filter((one) => one.tool === tool).length
}
