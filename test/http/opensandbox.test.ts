import { once } from "node:events"
import { connect } from "node:net"
import { Sandbox, SandboxApiException, SandboxManager } from "@alibaba-group/opensandbox"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { createClient } from "../../src/api/index.ts"
import { type OpenSandboxServer, serveOpenSandbox } from "../support/http/opensandbox-fixture.ts"

const policy = `
tools:
  rules:
    - deny: shell.exec
      when: { command: "forbidden" }
      because: It is forbidden.
    - deny: "file.*"
      when: { path: "^\\\\.ssh(/|$)" }
    - ask: file.write
      when: { path: "^asked" }
    - ask: shell.exec
      when: { command: "^ask-first" }
`

let server: OpenSandboxServer
let sandbox: Sandbox
beforeAll(async () => {
  server = await serveOpenSandbox(policy)
  sandbox = await create({ env: { COLOUR: "blue" }, metadata: { team: "one", tier: "test" } })
})
afterAll(async () => {
  await sandbox?.close()
  await server?.[Symbol.asyncDispose]()
})

type CreateOptions = Partial<Parameters<typeof Sandbox.create>[0]>

const create = (options: CreateOptions = {}) =>
  Sandbox.create({ connectionConfig: server.connection(), image: "host", ...options })

/** How the server answers a request that no SDK would make. */
const ask = (path: string, init: RequestInit & { token?: string } = {}) =>
  fetch(`http://127.0.0.1:${server.port}/v1${path}`, {
    ...init,
    headers: { "OPEN-SANDBOX-API-KEY": init.token ?? server.token, ...init.headers },
  })

const execd = (path: string) => `/sandboxes/${sandbox.id}/execd${path}`

/** What the SDK throws. */
async function refusal(promise: Promise<unknown>) {
  const error = await promise.then(
    () => new Error("It was not refused."),
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof SandboxApiException)) throw error
  const { statusCode: status, message, error: detail, rawBody } = error
  return { status, message, code: detail?.code, body: rawBody }
}

const textsOf = (messages: readonly { readonly text: string }[]) => messages.map(({ text }) => text)

async function run(command: string, options: Parameters<Sandbox["commands"]["run"]>[1] = {}) {
  const { logs, exitCode, error } = await sandbox.commands.run(command, options)
  const { stdout, stderr } = logs
  return { stdout: textsOf(stdout), stderr: textsOf(stderr), exitCode, error: error?.name }
}

/** The calls of a sandbox's session that its record has. */
async function recordedCalls(id = sandbox.id) {
  const reader = await server.store.read(id)
  const entries = (await reader?.entries({ limit: 10_000 })) ?? []
  return entries.map(({ kind, body }) => ({ kind, ...(body as Record<string, unknown>) }))
}

describe("OpenSandbox's lifecycle API", () => {
  it("R12: a sandbox is a recorded session with its id", async () => {
    const info = await sandbox.getInfo()
    expect(info).toMatchObject({
      id: sandbox.id,
      image: { uri: "host" },
      status: { state: "Running" },
      metadata: { team: "one", tier: "test" },
      entrypoint: ["tail", "-f", "/dev/null"],
    })
    expect(info.expiresAt?.getTime()).toBe(info.createdAt.getTime() + 600_000)
    await run("echo recorded")
    const { sessions } = await createClient({
      url: `http://127.0.0.1:${server.port}`,
      token: server.token,
    }).request("sessions.list", {})
    expect(sessions.map(({ name }) => name)).toContain(sandbox.id)
    const calls = JSON.stringify(await recordedCalls())
    expect(calls).toContain('"tool":"shell.exec"')
    expect(calls).toContain("echo recorded")
  })

  it("R12: lists by state and metadata, page by page, and changes metadata", async () => {
    const other = await create({ metadata: { team: "two" }, timeoutSeconds: null })
    const manager = SandboxManager.create({ connectionConfig: server.connection() })
    try {
      const ids = async (filter: Parameters<typeof manager.listSandboxInfos>[0]) =>
        (await manager.listSandboxInfos(filter)).items.map(({ id }) => id)
      expect(await ids({ metadata: { team: "two" } })).toEqual([other.id])
      expect(await ids({ states: ["Paused"] })).toEqual([])
      expect(await ids({ pageSize: 1, page: 2 })).toEqual([other.id])
      const { pagination } = await manager.listSandboxInfos({ pageSize: 1 })
      expect(pagination).toEqual({
        ...{ page: 1, pageSize: 1, totalItems: 2, totalPages: 2, hasNextPage: true },
      })
      expect((await other.getInfo()).expiresAt).toBe(null)
      const changed = await other.patchMetadata({ team: null, colour: "red" })
      expect(changed.metadata).toEqual({ colour: "red" })
      const { expiresAt } = await other.renew(120)
      expect((await other.getInfo()).expiresAt).toEqual(expiresAt)
    } finally {
      await other.kill()
      await manager.close()
    }
    expect(await refusal(other.getInfo())).toMatchObject({ status: 404, code: "NOT_FOUND" })
    expect(await refusal(other.commands.run("true"))).toMatchObject({ status: 404 })
    await other.close()
    // What happened in it can still be read.
    expect(await (await server.store.read(other.id))?.session()).toMatchObject({ name: other.id })
  })

  it("R12: a paused sandbox keeps its files, is not woken by a use, and is resumed", async () => {
    await run("echo kept >kept; sleep 1000 & echo started")
    await sandbox.pause()
    expect((await sandbox.getInfo()).status.state).toBe("Paused")
    expect(await refusal(sandbox.commands.run("true"))).toMatchObject({
      status: 409,
      message: `The sandbox ${sandbox.id} is paused. Resume it first.`,
    })
    expect(server.keep.session(sandbox.id).sandboxes.list()).toMatchObject([{ status: "sleeping" }])
    await sandbox.resume()
    expect(await run("cat kept; pgrep -c sleep")).toMatchObject({ stdout: ["kept", "0"] })
  })

  it("R12: a sandbox ends when its time is over, also under another server", async () => {
    const own = await serveOpenSandbox()
    // By one request: on a busy machine its time is over before the SDK has seen that it is there.
    const askOwn = (path: string, init: RequestInit = {}) =>
      fetch(`http://127.0.0.1:${own.port}/v1/sandboxes${path}`, {
        ...init,
        headers: { "OPEN-SANDBOX-API-KEY": own.token, "content-type": "application/json" },
      })
    const created = await askOwn("", {
      ...{ method: "POST", body: JSON.stringify({ image: { uri: "host" }, timeout: 1 }) },
    })
    const short = (await created.json()) as { id: string }
    expect(short.id).toMatch(/./)
    const long = await Sandbox.create({
      ...{ connectionConfig: own.connection(), image: "host", env: { COLOUR: "green" } },
    })
    await expect.poll(() => own.keep.sessions().map(({ name }) => name)).not.toContain(short.id)
    expect((await askOwn(`/${short.id}`)).status).toBe(404)
    await long.commands.run("echo there >there")
    await long.close()
    await using next = await own.restart()
    const found = await Sandbox.connect({
      ...{ connectionConfig: next.connection(), sandboxId: long.id },
    })
    const { logs } = await found.commands.run("cat there; echo $COLOUR")
    expect(textsOf(logs.stdout)).toEqual(["there", "green"])
    await found.close()
  })

  it("R12: limits are held, and what can't be kept is refused in words", async () => {
    const small = await create({ resource: { cpu: "500m", memory: "256Mi", disk: "1Gi" } })
    const { limits } = await server.keep.session(small.id).sandboxes.usage("default")
    expect(limits).toMatchObject({
      ...{ processors: 0.5, memoryBytes: 256 * 1024 ** 2, diskBytes: 1024 ** 3 },
    })
    await small.kill()
    await small.close()
    const before = server.keep.sessions().length
    const cases: readonly (readonly [CreateOptions, number, string])[] = [
      [{ image: "python:3.11" }, 400, "python:3.11"],
      [{ resource: { memory: "1Mi" } }, 400, "can't be a sandbox's limit of memoryBytes"],
      [{ resource: { memory: "much" } }, 400, 'a quantity such as "500m" or "512Mi"'],
      [{ resource: { gpu: "1" } }, 501, 'A limit of "gpu"'],
      [{ timeoutSeconds: 10 ** 9 }, 400, "30 days"],
      [{ env: { "A B": "1" } }, 400, '"A B" can\'t be the name of a variable'],
      [{ platform: { os: "windows", arch: "amd64" } }, 400, "not windows/amd64"],
      [{ credentialProxy: { enabled: true } }, 501, "credential vault"],
      [{ extensions: { poolRef: "warm" } }, 501, "poolRef"],
      [{ volumes: [{ name: "a", mountPath: "/a", host: { path: "/" } }] }, 501, "Volumes"],
      [{ image: { uri: "host", auth: { username: "a", password: "b" } } }, 501, "Credentials"],
    ]
    for (const [options, status, words] of cases) {
      const refused = await refusal(create(options))
      expect(refused.message).toContain(words)
      expect(refused.status).toBe(status)
    }
    expect(server.keep.sessions()).toHaveLength(before)
  })

  it("R12: what a sandbox reaches is read and changed through the egress API", async () => {
    const policy: NonNullable<CreateOptions["networkPolicy"]> = {
      ...{ defaultAction: "deny", egress: [{ action: "allow", target: "a.example" }] },
    }
    const netted = await create({ networkPolicy: policy })
    expect(await netted.getEgressPolicy()).toEqual(policy)
    await netted.patchEgressRules([{ action: "allow", target: "b.example" }])
    await netted.deleteEgressRules(["a.example"])
    expect(await netted.getEgressPolicy()).toEqual({
      ...{ defaultAction: "deny", egress: [{ action: "allow", target: "b.example" }] },
    })
    expect(server.keep.session(netted.id).sandboxes.list()).toMatchObject([
      { network: { kind: "allow-list", domains: ["b.example"] } },
    ])
    await netted.kill()
    await netted.close()
  })

  it("R12: a server inside has an address", async () => {
    await run("mkdir -p www && echo hello >www/a.txt")
    await run("python3 -m http.server 8123", { background: true, workingDirectory: "www" })
    const endpoint = async () => (await sandbox.getEndpoint(8123)).endpoint
    await expect.poll(() => endpoint().catch(() => "")).toMatch(/^8123-.*\.localhost:\d+$/)
    // The name leads to this machine, which not every resolver knows.
    const socket = connect(server.port, "127.0.0.1")
    socket.write(`GET /a.txt HTTP/1.1\r\nHost: ${await endpoint()}\r\nConnection: close\r\n\r\n`)
    let answer = ""
    socket.setEncoding("utf8").on("data", (text) => {
      answer += text
    })
    await once(socket, "close")
    expect(answer).toContain("hello")
  })
})

describe("OpenSandbox's commands", () => {
  it("R12: output comes line by line, with exit codes, variables and a directory", async () => {
    expect(
      await run('echo "$COLOUR $SIZE"; echo wrong >&2; exit 3', { envs: { SIZE: "9" } }),
    ).toEqual({
      ...{ stdout: ["blue 9"], stderr: ["wrong"], exitCode: 3, error: "CommandExecError" },
    })
    expect(await run("printf 'a\\n\\nb\\r\\nlast'")).toEqual({
      ...{ stdout: ["a", "\n", "b\r", "last"], stderr: [], exitCode: 0, error: undefined },
    })
    expect((await run("pwd", { workingDirectory: "/tmp" })).stdout).toEqual(["/tmp"])
    // As a plain bash does it.
    expect((await run("false | true")).exitCode).toBe(0)
    const missing = await refusal(sandbox.commands.run("pwd", { workingDirectory: "/tmp/none" }))
    expect(missing).toMatchObject({ status: 404 })
  })

  it("R12: timeouts, kills and interruptions are told apart", async () => {
    expect(await run("sleep 1000", { timeoutSeconds: 0.2 })).toMatchObject({
      ...{ exitCode: 124, error: "CommandTimeout" },
    })
    expect(await run("kill -9 $$")).toMatchObject({ exitCode: 137, error: "CommandExecError" })
    let id = ""
    const interrupted = sandbox.commands.run("echo up; sleep 1000", undefined, {
      onInit: (init) => {
        id = init.id
      },
      onStdout: () => sandbox.commands.interrupt(id),
    })
    expect(await interrupted).toMatchObject({
      exitCode: 143,
      error: { name: "CommandInterrupted" },
    })
    expect(await sandbox.commands.getCommandStatus(id)).toMatchObject({
      ...{ id, content: "echo up; sleep 1000", running: false, exitCode: 143 },
    })
    expect(await refusal(sandbox.commands.getCommandStatus("call_none"))).toMatchObject({
      status: 404,
    })
  })

  it("R12: a command ends with its client", async () => {
    const gone = new AbortController()
    const { body } = await ask(execd("/command"), {
      ...{ method: "POST", signal: gone.signal },
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ command: "echo up; sleep 4321" }),
    })
    await body?.getReader().read()
    const running = async () => (await run("pgrep -fc 'sleep 432[1]'")).stdout
    // What was read may only be the word that it begins.
    await expect.poll(running).not.toEqual(["0"])
    gone.abort()
    await expect.poll(running).toEqual(["0"])
  })

  it("R12: output that nobody reads holds its command back, and none of it is lost", async () => {
    const lines = 400_000
    const answer = await ask(execd("/command"), {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ command: `seq ${lines}; touch seq-done` }),
    })
    const reader = answer.body?.getReader()
    expect((await reader?.read())?.done).toBe(false)
    expect((await run("ls seq-done 2>/dev/null | wc -l")).stdout).toEqual(["0"])
    let text = ""
    const decoder = new TextDecoder()
    for (let piece = await reader?.read(); piece && !piece.done; piece = await reader?.read()) {
      text += decoder.decode(piece.value, { stream: true })
    }
    expect(text).toContain(`"text":"${lines}"`)
    expect(text.split("\n\n").at(-2)).toContain("execution_complete")
  })

  it("R12: commands in the background have a status, logs with a cursor, a timeout and an end", async () => {
    const started = await sandbox.commands.run(
      "echo one; while [ ! -e go ]; do sleep 0.05; done; echo two; exit 4",
      {
        background: true,
      },
    )
    const id = started.id ?? ""
    expect(await sandbox.commands.getCommandStatus(id)).toMatchObject({
      running: true,
      exitCode: null,
    })
    const logs = (cursor?: number) => sandbox.commands.getBackgroundCommandLogs(id, cursor)
    await expect.poll(async () => (await logs()).content).toBe("one\n")
    await run("touch go")
    await expect
      .poll(() => sandbox.commands.getCommandStatus(id))
      .toMatchObject({ running: false, exitCode: 4 })
    expect(await logs((await logs()).cursor)).toMatchObject({ content: "" })
    expect(await logs(4)).toEqual({ content: "two\n", cursor: 8 })
    const late = await sandbox.commands.run("sleep 1000", { background: true, timeoutSeconds: 0.2 })
    const killed = await sandbox.commands.run("sleep 1000", { background: true })
    await sandbox.commands.interrupt(killed.id ?? "")
    const status = async (one: typeof late) => {
      const { running, exitCode } = await sandbox.commands.getCommandStatus(one.id ?? "")
      return { running, exitCode }
    }
    await expect.poll(() => status(late)).toEqual({ running: false, exitCode: 124 })
    await expect.poll(() => status(killed)).toEqual({ running: false, exitCode: 143 })
  })
})

describe("OpenSandbox's files", () => {
  it("R12: bytes, streams, modes and ranges survive", async () => {
    const bytes = Uint8Array.from({ length: 3_000_000 }, (_, index) => (index * 7919) % 251)
    async function* pieces() {
      for (let at = 0; at < bytes.length; at += 70_001) yield bytes.subarray(at, at + 70_001)
    }
    await sandbox.files.writeFiles([
      { path: "data/streamed.bin", data: pieces(), mode: 600 },
      { path: "data/whole.bin", data: bytes, mode: 755 },
      { path: "data/text.txt", data: "one\ntwo\nthree\n" },
      { path: "data/empty", data: "" },
      { path: "data/--boundary\r\n", data: "\r\n--opensandbox_" },
    ])
    for (const name of ["streamed", "whole"]) {
      expect(Buffer.compare(await sandbox.files.readBytes(`data/${name}.bin`), bytes)).toBe(0)
    }
    const info = await sandbox.files.getFileInfo([
      "data/streamed.bin",
      "data/whole.bin",
      "data/empty",
    ])
    expect(Object.values(info).map(({ mode, size, type }) => [mode, size, type])).toEqual([
      ...[
        [600, 3_000_000, "file"],
        [755, 3_000_000, "file"],
        [644, 0, "file"],
      ],
    ])
    expect(await sandbox.files.readFile("data/--boundary\r\n")).toBe("\r\n--opensandbox_")
    const read = (options: object) => sandbox.files.readFile("data/text.txt", options)
    expect(await read({ range: "bytes=4-6" })).toBe("two")
    expect(await read({ range: "bytes=-6" })).toBe("three\n")
    expect(await read({ offset: 2, limit: 1 })).toBe("two\n")
    expect(await read({ offset: 3 })).toBe("three\n")
    expect((await refusal(read({ range: "bytes=99-" }))).status).toBe(416)
    let streamed = 0
    for await (const piece of sandbox.files.readBytesStream("data/whole.bin"))
      streamed += piece.length
    expect(streamed).toBe(bytes.length)
  })

  it("R12: directories are made, listed, searched and deleted, files moved, changed and deleted", async () => {
    const { files } = sandbox
    await files.createDirectories([{ path: "tree/a", mode: 700 }, { path: "tree/b" }])
    await files.writeFiles([
      { path: "tree/a/one.txt", data: "x=1 x=1" },
      { path: "tree/a/.hidden.txt", data: "x=2" },
    ])
    const paths = (found: readonly { readonly path: string }[]) =>
      found.map(({ path }) => path.replace("/home/user/tree/", ""))
    const listed = await files.listDirectory({ path: "tree" })
    expect(listed.map(({ type, mode }) => [type, mode])).toEqual([
      ["directory", 700],
      ["directory", 755],
    ])
    expect(paths(await files.listDirectory({ path: "tree", depth: 2 }))).toEqual([
      ...["a", "a/.hidden.txt", "a/one.txt", "b"],
    ])
    expect(paths(await files.search({ path: "tree", pattern: "*.txt" }))).toEqual([
      ...["a/.hidden.txt", "a/one.txt"],
    ])
    const changes = [{ path: "tree/a/one.txt", oldContent: "x=1", newContent: "y" }]
    expect(await files.replaceContentsDetailed(changes)).toMatchObject([{ replacedCount: 2 }])
    expect(await files.replaceContentsDetailed(changes)).toMatchObject([{ replacedCount: 0 }])
    await files.moveFiles([{ src: "tree/a/one.txt", dest: "tree/b/two.txt" }])
    expect(await files.readFile("tree/b/two.txt")).toBe("y y")
    await files.setPermissions([{ path: "tree/b/two.txt", mode: 400 }])
    const [info] = Object.values(await files.getFileInfo(["tree/b/two.txt"]))
    expect(info).toMatchObject({ mode: 400, owner: "user" })
    await files.deleteFiles(["tree/b/two.txt"])
    expect((await refusal(files.readBytes("tree/b/two.txt"))).status).toBe(404)
    await files.deleteDirectories(["tree"])
    expect((await refusal(files.getFileInfo(["tree"]))).status).toBe(404)
  })

  it("R12: paths that lead out, odd names and broken bodies are refused", async () => {
    const { files } = sandbox
    for (const path of ["../../etc/passwd", "/etc/passwd", "a\0b", "x".repeat(300)]) {
      expect((await refusal(files.readBytes(path))).status).toBe(400)
      expect((await refusal(files.writeFiles([{ path, data: "x" }]))).status).toBe(400)
    }
    await run("ln -s /etc out")
    expect((await refusal(files.writeFiles([{ path: "out/x", data: "x" }]))).status).not.toBe(200)
    const upload = (body: string, type = "multipart/form-data; boundary=b") =>
      ask(execd("/files/upload"), { method: "POST", body, headers: { "content-type": type } })
    const part = (name: string, text: string) =>
      `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${text}\r\n`
    const bodies = [
      ...[
        "",
        "--b--\r\n",
        "nothing",
        part("file", "x"),
        part("metadata", "[]"),
        part("other", "x"),
      ],
      part("metadata", `{"path":"broken.txt"}`) + part("file", "begun"),
      part("metadata", `{"path":"broken.txt","mode":999}`) + part("file", "x"),
      part("metadata", "x".repeat(100_000)),
      `--b\r\n${"x".repeat(100_000)}`,
    ]
    for (const body of bodies) expect((await upload(body)).status).toBe(400)
    expect((await upload(bodies[0] ?? "", "text/plain")).status).toBe(400)
    expect((await run("ls -A | grep -c 'broken\\|upload'")).stdout).toEqual(["0"])
  })
})

describe("whoever uses OpenSandbox's API", () => {
  it("R12: is held to the policy, and asked about where it says so", async () => {
    expect(await refusal(sandbox.commands.run("echo forbidden"))).toMatchObject({
      ...{ status: 403, code: "REJECTED", message: expect.stringContaining("It is forbidden.") },
    })
    const background = sandbox.commands.run("echo forbidden", { background: true })
    expect((await refusal(background)).status).toBe(403)
    const { files } = sandbox
    const refused = [
      () => files.readBytes(".ssh/id"),
      () => files.writeFiles([{ path: "./x/../.ssh/id", data: "x" }]),
      () => files.listDirectory({ path: ".ssh" }),
      () => files.getFileInfo([".ssh/id"]),
      () => files.createDirectories([{ path: ".ssh" }]),
      () => files.deleteDirectories([".ssh"]),
      () => files.moveFiles([{ src: "kept", dest: ".ssh/id" }]),
      () => files.setPermissions([{ path: ".ssh", mode: 777 }]),
      () => files.replaceContents([{ path: ".ssh/id", oldContent: "a", newContent: "b" }]),
    ]
    for (const one of refused) expect((await refusal(one())).status).toBe(403)

    const answers = ["approve", "edit", "deny"] as const
    const asked: unknown[] = []
    const stop = server.questions.watch(async () => {
      const [question] = await server.questions.list()
      const answer = answers[asked.length]
      if (!question || answer === undefined || question.kind !== "approval") return
      asked.push(question.input)
      const { question: id, fingerprint } = question
      const input = { path: "asked.txt", content: "a person wrote this" }
      await server.questions.answer(
        { question: id, answer, fingerprint: fingerprint ?? "", input },
        "test",
      )
    })
    await files.writeFiles([{ path: "asked.txt", data: "bytes" }])
    expect(await files.readFile("asked.txt")).toBe("bytes")
    await files.writeFiles([{ path: "asked.txt", data: "other bytes" }])
    expect(await files.readFile("asked.txt")).toBe("a person wrote this")
    expect((await refusal(files.writeFiles([{ path: "asked.txt", data: "x" }]))).status).toBe(403)
    stop()
    expect(asked).toEqual(
      Array(3).fill({
        path: "asked.txt",
        content: "[beside this call: the bytes of an upload]",
        append: false,
      }),
    )
  })

  it("R12: needs a token, and with that of one sandbox sees only that one", async () => {
    const owner = createClient({ url: `http://127.0.0.1:${server.port}`, token: server.token })
    const tokenFor = async (kind: "session" | "read" | "approve", session?: string) =>
      (await owner.request("tokens.create", { name: kind, kind, ...(session && { session }) }))
        .secret
    const other = await create()
    const [own, read, approve] = await Promise.all([
      ...[tokenFor("session", sandbox.id), tokenFor("read"), tokenFor("approve")],
    ])
    const status = async (path: string, token = server.token, method = "GET") =>
      (await ask(path, { token, method })).status
    const paths = ["/sandboxes", `/sandboxes/${sandbox.id}`, execd("/ping"), "/snapshots", "/none"]
    for (const path of paths) {
      expect(await status(path, "wrong")).toBe(401)
      expect(await status(path, "")).toBe(401)
      expect(await status(path, approve)).toBe(403)
    }
    expect(await status(`/sandboxes/${sandbox.id}`, own)).toBe(200)
    expect(await status(`/sandboxes/${other.id}`, own)).toBe(403)
    expect(await status(`/sandboxes/${other.id}`, own, "DELETE")).toBe(403)
    expect(await status(`/sandboxes/${other.id}/execd/files/download?path=a`, own)).toBe(403)
    expect(await status(`/sandboxes/${sandbox.id}%2F..%2F${other.id}`, own)).toBe(403)
    expect(await status(`/sandboxes/${sandbox.id}`, read)).toBe(200)
    expect(await status(`/sandboxes/${sandbox.id}`, read, "DELETE")).toBe(403)
    const limited = SandboxManager.create({ connectionConfig: server.connection(own) })
    expect((await limited.listSandboxInfos()).items.map(({ id }) => id)).toEqual([sandbox.id])
    expect((await refusal(create({ connectionConfig: server.connection(own) }))).status).toBe(403)
    const egress = `/sandboxes/${sandbox.id}/egress/policy`
    expect(await status(egress, own)).toBe(200)
    expect(await status(egress, own, "PATCH")).toBe(403)
    expect(await status(`/sandboxes/${sandbox.id}/pause`, own, "POST")).toBe(403)
    const agent = await Sandbox.connect({
      ...{ connectionConfig: server.connection(own), sandboxId: sandbox.id },
    })
    expect((await agent.commands.run("echo mine")).exitCode).toBe(0)
    await agent.close()
    // A session that is not a sandbox of this API.
    server.keep.session("of-the-console", { record: true })
    expect(await status("/sandboxes/of-the-console", undefined)).toBe(404)
    await limited.close()
    await other.kill()
    await other.close()
  })

  it("R12: gets 501 in words for what is not done here, and 400 for what is wrong", async () => {
    const missing: readonly (readonly [string, string, string])[] = [
      ["POST", execd("/code"), "Jupyter"],
      ["POST", execd("/code/context"), "Jupyter"],
      ["GET", execd("/code/contexts?language=python"), "Jupyter"],
      ["POST", execd("/session"), "Bash sessions"],
      ["GET", execd("/metrics/watch"), "metrics"],
      ["POST", execd("/v1/isolated/session"), "Isolated"],
      ["POST", `/sandboxes/${sandbox.id}/snapshots`, "Snapshots"],
      ["GET", "/snapshots", "Snapshots"],
      ["GET", `/sandboxes/${sandbox.id}/egress/credential-vault`, "credential vault"],
      ["GET", `/sandboxes/${sandbox.id}/diagnostics/logs`, "Diagnostics"],
      ["GET", `/sandboxes/${sandbox.id}/endpoints/80?expires=1`, "signature"],
    ]
    for (const [method, path, words] of missing) {
      const answer = await ask(path, { method })
      expect(answer.status).toBe(501)
      expect(((await answer.json()) as { message: string }).message).toContain(words)
    }
    expect(await sandbox.isolation.capabilities()).toMatchObject({ available: false })
    expect(await sandbox.getMetrics()).toMatchObject({ cpuCount: 1, memoryTotalMiB: 2048 })
    expect((await refusal(sandbox.commands.run("id", { uid: 0 }))).status).toBe(501)
    const post = (path: string, body: string, type = "application/json") =>
      ask(path, { method: "POST", body, headers: { "content-type": type } })
    const wrong: readonly (readonly [string, string])[] = [
      ...([
        ["/sandboxes", "{"],
        ["/sandboxes", "[]"],
        ["/sandboxes", "{}"],
      ] as const),
      ...([["/sandboxes", '{"image":{"uri":5},"entrypoint":["a"]}']] as const),
      ...([
        [execd("/command"), "{}"],
        [execd("/command"), '{"command":" "}'],
      ] as const),
      ...([[execd("/command"), '{"command":"a","timeout":-1}']] as const),
      ...([
        [execd("/files/mv"), "{}"],
        [execd("/files/permissions"), '{"a":1}'],
      ] as const),
      ...([[`/sandboxes/${sandbox.id}/renew-expiration`, '{"expiresAt":"2001-01-01"}']] as const),
      ...([[execd("/command"), `{"command":"${"x".repeat(9 * 1024 * 1024)}"}`]] as const),
    ]
    for (const [path, body] of wrong)
      expect([path, (await post(path, body)).status]).toEqual([path, 400])
    expect((await ask(execd("/files/info"))).status).toBe(400)
    expect((await ask("/none")).status).toBe(404)
    expect((await run("echo it goes on")).stdout).toEqual(["it goes on"])
  })
})
