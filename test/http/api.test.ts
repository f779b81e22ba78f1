import { randomBytes } from "node:crypto"
import { once } from "node:events"
import { chmodSync, mkdtempSync, rmSync, statSync } from "node:fs"
import { Agent, type IncomingMessage, request } from "node:http"
import { connect as connectTo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Readable } from "node:stream"
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest"
import { type ApiError, createClient, pathArguments, routeEntries } from "../../src/api/index.ts"
import { createQuestions, serveApi } from "../../src/http/index.ts"
import { systemClock } from "../../src/kit/index.ts"
import type { HttpServer } from "../../src/mcp/index.ts"
import { createPreviewHub } from "../../src/sandbox/index.ts"
import { openToolkeep, type Toolkeep } from "../../src/session/index.ts"
import { openRecord, type RecordStore, saveProof } from "../../src/store/index.ts"
import { checkAnswers } from "../support/api-answers.ts"

const home = mkdtempSync(join(tmpdir(), "toolkeep-http-"))
// Sandboxes run as other users and walk through it.
chmodSync(home, 0o755)
let server: HttpServer
let keep: Toolkeep
let store: RecordStore
let base = ""

beforeAll(async () => {
  store = await openRecord({ file: join(home, "record.sqlite") })
  const previewHub = createPreviewHub()
  const questions = createQuestions({ store, clock: systemClock })
  keep = await openToolkeep({
    ...{ host: "bubblewrap", home, record: store, previewHub },
    policy: { tools: { hooks: { confirm: ["file.write"] } } },
  })
  const tokens = ["0123456789abcdef0123456789abcdef"]
  server = await serveApi(keep, { store, home, questions, previewHub, tokens, port: 0 })
  base = `http://127.0.0.1:${server.port}`
})

const answers = checkAnswers()

afterAll(async () => {
  expect(await answers.problems()).toEqual([])
  await server?.close()
  await keep?.close()
  await store?.close()
  rmSync(home, { recursive: true, force: true })
})

const owner = () => createClient({ url: base, token: server.token, fetch: answers.fetch })

/** A text for each of these arguments. */
const sampleOf = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, "1"]))

const refusal = (asked: Promise<unknown>) =>
  asked.then(
    () => "no refusal",
    ({ status, kind, message }: ApiError) => ({ status, kind, message }),
  )

describe("the HTTP API", () => {
  it("Y16, F20: a call is answered with its envelope, and its entries come once each to each client that follows from any number", async () => {
    const client = owner()
    const { call, envelope } = await client.request("calls.start", {
      ...{ session: "demo", tool: "shell.exec", input: { command: "echo hello" } },
    })
    expect(envelope).toMatchObject({ ok: true, result: { stdout: "hello\n", exit_code: 0 } })
    const { entries, head } = await client.request("entries.list", { session: "demo" })
    expect(entries.map(({ kind }) => kind)).toEqual(["call", "envelope"])
    expect(entries[0]?.body).toMatchObject({ call })

    const stop = new AbortController()
    const follow = async (after: number, seen: number[]) => {
      const watched = client.watch("entries.watch", { session: "demo", after }, stop)
      for await (const { event, id = 0 } of watched) if (event === "entry") seen.push(id)
    }
    const seen: number[][] = [[], [], [], []]
    const [fromStart = [], fromOne = [], fromEnd = [], late = []] = seen
    const followed = [follow(0, fromStart), follow(1, fromOne), follow(2, fromEnd)]
    for (const command of ["true", "false"]) {
      await client.request("calls.start", {
        ...{ session: "demo", tool: "shell.exec", input: { command } },
      })
      // One that comes while others are followed.
      if (command === "true") followed.push(follow(1, late))
    }
    const all = [1, 2, 3, 4, 5, 6]
    await expect.poll(() => seen).toEqual([all, all.slice(1), all.slice(2), all.slice(1)])
    stop.abort()
    await Promise.all(followed)
    expect(head).toBe(2)
    const { sessions } = await client.request("sessions.list", {})
    expect(sessions).toMatchObject([{ name: "demo", head: 6, is_open: true, parent: null }])
  })

  it("O24: what a call printed is read by range, and what was not recorded is said", async () => {
    const client = owner()
    const run = async (command: string) => {
      const input = { session: "printed", tool: "shell.exec", input: { command } }
      return (await client.request("calls.start", input)).call
    }
    const read = (call: string, more: { from?: number; bytes?: number } = {}) =>
      client.request("calls.output", { session: "printed", call, ...more })
    /** All that was recorded, part by part. */
    const readAll = async (call: string) => {
      const first = await read(call)
      const texts = [first.text]
      for (let at = first.next; at < first.size; ) {
        const part = await read(call, { from: at, bytes: 99_999 })
        texts.push(part.text)
        at = part.next
      }
      return { ...first, text: texts.join("") }
    }
    const lines = (from: number, to: number) =>
      Array.from({ length: to - from + 1 }, (_, index) => `${from + index}ß\n`).join("")
    const short = await run("echo one; echo two >&2")
    expect(await read(short)).toEqual({
      from: 0,
      text: "one\ntwo\n",
      next: 8,
      size: 8,
      missing: null,
    })
    // Longer than the envelope shows, and not than is recorded.
    const long = await run("for i in {1..20000}; do echo $iß; done")
    const whole = await readAll(long)
    expect(whole.text).toBe(lines(1, 20_000))
    expect(whole).toMatchObject({ size: Buffer.byteLength(whole.text), missing: null })
    expect(await read(long, { from: -5 })).toMatchObject({ text: "00ß\n" })
    expect(await read(long, { from: -2 })).toMatchObject({ text: "\n", from: whole.size - 1 })
    const endless = await run("seq 300000")
    const part = await readAll(endless)
    const { missing, size } = part
    expect(part.text.startsWith("1\n2\n3\n")).toBe(true)
    expect(part.text.endsWith("299999\n300000\n")).toBe(true)
    expect(missing?.from).toBe(262_144)
    expect(part.text.length).toBe(size - ((missing?.to ?? 0) - (missing?.from ?? 0)))
    expect(await read(endless, { from: missing?.from ?? 0, bytes: 10 })).toMatchObject({
      from: missing?.to,
    })
    expect(await read("call_none")).toMatchObject({ text: "", size: 0 })
  })

  it("O24, O25: the output of a running call is sent while it runs, and Terminate ends it with what it had", async () => {
    const client = owner()
    const started = client.request("calls.start", {
      ...{ session: "slow", tool: "shell.exec", wait: false },
      // Again and again: output is sent live, to those who are there.
      input: { command: "while :; do echo begun; sleep 0.1; done" },
    })
    const { call } = await started
    const stop = new AbortController()
    let printed = ""
    for await (const { event, data } of client.watch("entries.watch", { session: "slow" }, stop)) {
      if (event === "output") printed += Object(data).text
      if (printed.includes("begun")) break
    }
    stop.abort()
    await expect
      .poll(() => client.request("calls.output", { session: "slow", call }))
      .toMatchObject({ from: 0, text: expect.stringMatching(/^begun\n/), missing: null })
    const { running } = await client.request("sessions.show", { session: "slow" })
    expect(running).toMatchObject([{ call, tool: "shell.exec" }])
    expect(await client.request("calls.terminate", { session: "slow", call })).toEqual({
      terminated: true,
    })
    const after = { session: "slow", after: 1 }
    for await (const { data } of client.watch("entries.watch", after)) {
      const { kind, body } = Object(data)
      if (kind !== "envelope") continue
      expect(body.envelope).toMatchObject({ ok: true, result: { killed_by: "user" } })
      break
    }
    expect(await client.request("calls.terminate", { session: "slow", call })).toEqual({
      terminated: false,
    })
  })

  it("O24: of much live output each stream gets the end in whole characters, and how much was left out", async () => {
    const client = owner()
    const session = "flood"
    const call = (command: string) =>
      client.request("calls.start", { session, tool: "shell.exec", input: { command } })
    await call("true")
    const workspace = await keep.session(session).workspace()
    const stop = new AbortController()
    const following = (async () => {
      let [text, bytes] = ["", 0]
      for await (const { event, data } of client.watch(
        "entries.watch",
        { session, after: 2 },
        stop,
      )) {
        if (event === "output") text += Object(data).text
        if (event === "output-dropped") bytes += Object(data).bytes
        // It prints once somebody reads: what was printed before would not be told.
        if (Object(data).kind === "call") await workspace.writeFile("go", "")
        // The entry that ends the call comes after all that it has printed.
        if (Object(data).kind === "envelope") break
      }
      return { text, bytes: bytes + Buffer.byteLength(text) }
    })()
    const flood = "yes äöü€🙂 | head -c 14000000; printf 'äöü€🙂the end'"
    await call(`until [[ -e go ]]; do sleep 0.05; done; ${flood}`)
    const { text, bytes } = await following
    stop.abort()
    expect(bytes).toBe(14_000_020)
    expect(text).toMatch(/^[äöü€🙂\n]+the end$/u)
    expect(text.length).toBeLessThan(5_000_000)
  })

  it("O24: event streams stay open where silent strangers take the other connections", async () => {
    const previewHub = createPreviewHub()
    const questions = createQuestions({ store, clock: systemClock })
    const limits = { connections: 8, strangerMs: 100 }
    const small = await serveApi(keep, { store, home, questions, previewHub, port: 0, limits })
    onTestFinished(() => small.close())
    const url = `http://127.0.0.1:${small.port}`
    const headers = { authorization: `Bearer ${small.token}` }
    let closed = 0
    for (let count = 0; count < 12; count += 1) {
      const asked = request(`${url}/api/questions/events`, { agent: false, headers }).end()
      const [response] = await once(asked, "response")
      response.resume().on("close", () => (closed += 1))
    }
    const strangers = Array.from({ length: 6 }, () => connectTo(small.port, "127.0.0.1").resume())
    await Promise.all(strangers.map((stranger) => once(stranger, "close")))
    await createClient({ url, token: small.token }).request("sessions.list", {})
    expect(closed).toBe(0)
  })

  it("X7, Y11: a question reaches the page that watches, its answer names exactly what was asked, and the first counts", async () => {
    const client = owner()
    const write = { session: "ask", tool: "file.write", input: { path: "a.txt", content: "a" } }
    // Nobody watches, so nobody can be asked.
    expect((await client.request("calls.start", write)).envelope).toMatchObject({
      ...{
        ok: false,
        kind: "rejected",
        message: expect.stringContaining("watch /api/questions/events"),
      },
    })
    const stop = new AbortController()
    const asked: Record<string, string>[] = []
    const watched = (async () => {
      for await (const { data } of client.watch("questions.watch", {}, stop)) {
        asked.splice(0, asked.length, ...Object(data).questions)
      }
    })()
    await expect
      .poll(async () => {
        const { envelope } = await client.request("calls.start", { ...write, wait: false })
        return envelope ?? asked.length
      })
      .toBeGreaterThan(0)
    await client.request("questions.list", {})
    const [question] = asked
    expect(question).toMatchObject({
      ...{ session: "ask", tool: "file.write", kind: "approval", input: write.input },
      rule: { text: "hook confirm file.write" },
    })
    const answer = { question: question?.question ?? "", answer: "approve" } as const
    expect(await refusal(client.request("questions.answer", answer))).toMatchObject({
      ...{ status: 400, kind: "invalid_args" },
    })
    const { fingerprint = "" } = question ?? {}
    expect(await client.request("questions.answer", { ...answer, fingerprint })).toEqual({
      counted: true,
    })
    expect(await client.request("questions.answer", { ...answer, fingerprint })).toEqual({
      counted: false,
    })
    for (const { question: other } of (await client.request("questions.list", {})).questions) {
      await client.request("questions.answer", { question: other, answer: "deny" })
    }
    await expect
      .poll(async () => JSON.stringify(await client.request("entries.list", { session: "ask" })))
      .toContain('"by":"up"')
    stop.abort()
    await watched
  })

  it("X7, Y11: a question that another process leaves in the record reaches those who watch already, and goes with its answer", async () => {
    const client = owner()
    const stop = new AbortController()
    onTestFinished(() => stop.abort())
    let waiting: readonly string[] | null = null
    void (async () => {
      for await (const { data } of client.watch("questions.watch", {}, stop)) {
        waiting = Object(data).questions.map(({ text }: { readonly text: string }) => text)
      }
    })()
    await expect.poll(() => waiting).toEqual([])
    await using other = await openRecord({ file: join(home, "record.sqlite") })
    const record = await other.open("parked")
    const body = { kind: "approval", text: "May it run?", tool: "shell.exec", input: {} }
    await record.ask({ id: "question_parked", call: "call_1", askedAt: Date.now(), body })
    await record.append([], "waiting")
    await expect.poll(() => waiting).toEqual(["May it run?"])
    await other.answer("question_parked", { kind: "approved", by: "another process" })
    await expect.poll(() => waiting).toEqual([])
    await record.close()
  })

  it("X7: what was allowed always is listed and withdrawn, and then the next call asks again", async () => {
    const api = owner()
    const stop = new AbortController()
    onTestFinished(() => stop.abort())
    const asked: string[] = []
    void (async () => {
      for await (const { data } of api.watch("questions.watch", {}, stop)) {
        for (const { question, fingerprint } of Object(data).questions) {
          asked.push(question)
          await api.request("questions.answer", { question, answer: "always", fingerprint })
        }
      }
    })()
    const write = () =>
      api.request("calls.start", {
        ...{ session: "grants", tool: "file.write", input: { path: "a.txt", content: "a" } },
      })
    // The first may come before the page watches.
    await expect.poll(write).toMatchObject({ envelope: { ok: true } })
    await write()
    expect(asked).toHaveLength(1)
    const { grants } = await api.request("grants.list", { session: "grants" })
    expect(grants).toEqual([
      { tool: "file.write", rule: expect.stringContaining("file.write"), sandbox: "default" },
    ])
    const [grant] = grants
    if (!grant) throw new Error("There is no grant.")
    const withdraw = () => api.request("grants.withdraw", { session: "grants", grant })
    expect(await withdraw()).toEqual({ withdrawn: true })
    expect(await withdraw()).toEqual({ withdrawn: false })
    await write()
    expect(asked).toHaveLength(2)
  })

  it("O4, C18: files go in and out as bytes, processes are listed and ended, sandboxes sleep, fork and are destroyed", async () => {
    const client = owner()
    const place = { session: "files", sandbox: "default" }
    const bytes = new Uint8Array(randomBytes(3 * 1024 * 1024))
    const path = "data/odd name %2F.bin"
    expect(await client.request("files.write", { ...place, path }, { body: bytes })).toEqual({
      bytes: bytes.length,
    })
    const whole = await client.download("files.read", { ...place, path })
    expect(whole.headers.get("content-disposition")).toContain("attachment")
    expect(Buffer.compare(Buffer.from(await whole.arrayBuffer()), Buffer.from(bytes))).toBe(0)
    const part = await client.download("files.read", { ...place, path, offset: 10, limit: 4 })
    expect(new Uint8Array(await part.arrayBuffer())).toEqual(bytes.slice(10, 14))
    expect(await client.request("files.list", { ...place, path: "data" })).toEqual({
      entries: [{ name: "odd name %2F.bin", type: "file" }],
      truncated: false,
    })
    expect(
      await refusal(client.download("files.read", { ...place, path: "../../etc" })),
    ).toMatchObject({
      status: expect.toSatisfy((status: number) => status === 400 || status === 404),
    })
    await client.request("calls.start", {
      ...{ session: "files", tool: "process.start", input: { command: "sleep 8206" } },
    })
    const { processes } = await client.request("processes.list", place)
    expect(processes).toMatchObject([
      { command: expect.stringContaining("sleep 8206"), state: "running" },
    ])
    const [{ process = "" } = {}] = processes
    expect(await client.request("processes.kill", { ...place, process })).toMatchObject({
      state: "killed",
    })
    expect(await client.request("sandboxes.fork", { ...place, to: "copy" })).toEqual({
      ...{ sandbox: "copy", created: true },
    })
    const from = { from_sandbox: "copy", from_path: path }
    const to = { to_sandbox: "default", to_path: "back.bin" }
    expect(
      await client.request("sandboxes.transfer", { session: "files", ...from, ...to }),
    ).toEqual({ bytes: bytes.length })
    await client.request("sandboxes.sleep", place)
    const { sandboxes } = await client.request("sandboxes.list", { session: "files" })
    expect(sandboxes.map(({ sandbox, status }) => [sandbox, status])).toContainEqual([
      ...["default", "sleeping"],
    ])
    await client.request("sandboxes.wake", place)
    await client.request("sandboxes.destroy", { session: "files", sandbox: "copy" })
    expect((await client.request("sandboxes.list", { session: "files" })).sandboxes).toHaveLength(1)
    expect(await client.request("sessions.delete", { session: "files" })).toEqual({
      deleted: ["files"],
    })
    expect(await refusal(client.request("sessions.show", { session: "files" }))).toMatchObject({
      ...{ status: 404, kind: "not_found" },
    })
  })

  it("O24, C18: files are read as they were recorded at an entry, and it is said where none were", async () => {
    const client = owner()
    const session = keep.session("past", { durable: true, record: true })
    const write = (content: string) =>
      session.workspace().then((workspace) => workspace.writeFile("note.txt", content))
    await session.call("system.info")
    await write("old")
    const record = await session.record?.()
    const checkpoint = await session.sandboxes.checkpoint()
    const body = { kind: "recorded", checkpoint }
    const [added] =
      (await record?.append([{ kind: "checkpoint", at: 1, body, isMilestone: true }])) ?? []
    const at = { session: "past", entry: (added?.sequence ?? 0) + 5 }
    await write("new")
    expect(await client.request("checkpoints.show", at)).toEqual({
      ...{ recorded_at: added?.sequence, why_not: null, sandboxes: ["default"] },
    })
    const { entries } = await client.request("checkpoints.list", { ...at, sandbox: "default" })
    expect(entries).toContainEqual({ name: "note.txt", type: "file" })
    const file = { ...at, sandbox: "default", path: "note.txt" }
    expect(await (await client.download("checkpoints.read", file)).text()).toBe("old")
    // The session itself goes on with its own files, and nothing was recorded anywhere.
    const now = { session: "past", sandbox: "default", path: "note.txt" }
    expect(await (await client.download("files.read", now)).text()).toBe("new")
    const { sessions } = await client.request("sessions.list", {})
    expect(sessions.filter(({ name }) => name.startsWith("past"))).toHaveLength(1)

    const before = { session: "past", entry: 1 }
    const none = await client.request("checkpoints.show", before)
    expect(none.recorded_at).toBeNull()
    expect(none.why_not).toContain("No files were recorded until entry 1.")
    const refused = client.request("checkpoints.list", { ...before, sandbox: "default" })
    expect(await refusal(refused)).toMatchObject({ status: 404, message: none.why_not })
  })

  it("Y9, Y16: what repair and policy would do to a call is told, by a token that only reads, and nothing runs", async () => {
    const api = owner()
    const start = { session: "explained", tool: "shell.exec", input: { command: "true" } }
    await api.request("calls.start", start)
    const { secret } = await api.request("tokens.create", { name: "reader", kind: "read" })
    const reader = createClient({ url: base, token: secret, fetch: answers.fetch })
    const asked = { session: "explained", tool: "file.write" }
    const written = { ...asked, input: { path: "a.txt", content: "a", mode: null } }
    const { explanation, ...rest } = await reader.request("policy.explain", written)
    expect(rest).toMatchObject({ tool: "file.write", input: { path: "a.txt", content: "a" } })
    expect(rest.repairs).toHaveLength(1)
    expect(explanation).toMatchObject({
      ...{ verdict: "ask", depends_on_arguments: false, rule: { source: "hook" } },
      change: expect.stringContaining("always"),
    })
    expect(explanation?.steps.filter(({ decided }) => decided).map(({ stage }) => stage)).toEqual([
      "hooks",
    ])
    const wrong = await reader.request("policy.explain", { ...asked, input: { content: "a" } })
    expect(wrong).toMatchObject({ repairs: [], failure: { kind: "invalid_args", field: "path" } })
    expect(wrong).not.toHaveProperty("explanation")
    const unknown = reader.request("policy.explain", { session: "explained", tool: "no.tool" })
    expect(await refusal(unknown)).toMatchObject({ status: 404, kind: "tool_not_found" })
    const { head } = await reader.request("entries.list", { session: "explained" })
    expect(head).toBe(2)
  })
})

describe("who may use it", () => {
  it("C6, O4: servers inside sandboxes are shown at this server's port, and reach nothing else of it", async () => {
    const api = owner()
    const place = { session: "previews", tool: "process.start" }
    const command =
      'python3 -c \'import http.server as h\nclass H(h.BaseHTTPRequestHandler):\n def do_GET(s):\n  s.send_response(200); s.end_headers(); s.wfile.write(("inside " + s.path).encode())\nh.HTTPServer(("127.0.0.1", 8000), H).serve_forever()\''
    expect(await api.request("calls.start", { ...place, input: { command } })).toMatchObject({
      envelope: { ok: true },
    })
    const { envelope } = await api.request("calls.start", {
      ...{ session: "previews", tool: "sandbox.browse", input: { port: 8000 } },
    })
    const url = new URL(String(Object(envelope).result.url))
    expect([url.port, url.hostname]).toEqual([
      String(server.port),
      "8000-default-previews.localhost",
    ])
    const ask = async (path: string, host: string) => {
      const headers = { host, authorization: `Bearer ${server.token}` }
      const asked = request({ port: server.port, host: "127.0.0.1", path, headers }).end()
      const [response] = await once(asked, "response")
      const pieces: Buffer[] = await response.toArray()
      return [response.statusCode, Buffer.concat(pieces).toString()]
    }
    for (const path of ["/", "/mcp", "/api/sessions", "/openapi.json"]) {
      expect(await ask(path, url.host)).toEqual([200, `inside ${path}`])
    }
    const [status] = await ask("/api/sessions", `8001-default-previews.localhost:${server.port}`)
    expect(status).toBe(403)
  })

  it("Y9, F21: hosts are listed with what they promise and what was proved on this machine", async () => {
    const { hosts } = await owner().request("hosts.list", {})
    expect(hosts.map(({ host }) => host)).toEqual([
      ...["bubblewrap", "docker", "kubernetes", "opensandbox", "memory", "local"],
    ])
    expect(hosts[0]).toMatchObject({ is_used: true, why_not: null, proof: null })
    expect(hosts[0]?.prove_with).toBe("toolkeep conform --host bubblewrap")
    const check = { id: "timeouts.busy-loop", promise: "It ends.", kept: true, how: "1 s" }
    await saveProof(home, "bubblewrap", { version: "1.2.3", at: 1_000, checks: [check] })
    const [proved] = (await owner().request("hosts.list", {})).hosts
    expect(proved?.proof).toEqual({
      ...{ version: "1.2.3", at_ms: 1_000 },
      checks: [{ check: "timeouts.busy-loop", promise: "It ends.", kept: true, how: "1 s" }],
    })
  })

  it("C18: each kind of token may use its routes and no others, until it expires or is revoked", async () => {
    const client = owner()
    const make = async (kind: "session" | "read" | "approve", session?: string) => {
      const made = await client.request("tokens.create", {
        ...{ name: kind, kind },
        ...(session !== undefined && { session }),
      })
      return { ...made, client: createClient({ url: base, token: made.secret }) }
    }
    const kinds = {
      session: await make("session", "mine"),
      read: await make("read"),
      approve: await make("approve"),
    }
    const allowed: Record<string, readonly string[]> = {
      session: ["read", "call"],
      read: ["read"],
      approve: ["approve"],
    }
    for (const [kind, { secret }] of Object.entries(kinds)) {
      for (const [name, { method, path, scope }] of routeEntries) {
        if (scope === "open" || allowed[kind]?.includes(scope)) continue
        const address = `${base}/api${path.replaceAll(/\{\w+\}/g, "mine")}`
        const headers = { Authorization: `Bearer ${secret}` }
        const { status } = await fetch(address, { method, headers })
        expect([kind, name, status]).toEqual([kind, name, 403])
      }
    }
    // The token of one session reads and calls nothing of another one, by whichever route.
    await client.request("calls.start", { session: "demo", tool: "system.info" })
    const tried: string[] = []
    for (const [name, { method, path, scope, input, narrowed }] of routeEntries) {
      if (!allowed.session?.includes(scope) || narrowed) continue
      const inPath = pathArguments(path)
      const missing = (input.required ?? []).filter((key) => !inPath.includes(key))
      const body = method === "POST" ? { body: JSON.stringify(sampleOf(missing)) } : {}
      const query = method === "GET" ? `?${new URLSearchParams(sampleOf(missing))}` : ""
      const filled = path.replace("{session}", "demo").replaceAll(/\{\w+\}/g, "1")
      const headers = {
        Authorization: `Bearer ${kinds.session.secret}`,
        "Content-Type": "application/json",
      }
      const { status } = await fetch(`${base}/api${filled}${query}`, { method, headers, ...body })
      expect([name, status]).toEqual([name, 403])
      tried.push(name)
    }
    expect(tried).toEqual(expect.arrayContaining(["calls.start", "entries.watch", "changes.list"]))
    const mine = { tool: "system.info", input: {} }
    expect(
      await kinds.session.client.request("calls.start", { session: "mine", ...mine }),
    ).toMatchObject({
      envelope: { ok: true },
    })
    for (const session of ["demo", "mine2", ""]) {
      expect(
        await refusal(kinds.session.client.request("calls.start", { session, ...mine })),
      ).toMatchObject({
        status: expect.toSatisfy((status: number) => [400, 403, 404].includes(status)),
      })
    }
    expect(await refusal(kinds.session.client.request("sessions.list", {}))).toMatchObject({
      status: 403,
    })
    // Reading creates nothing.
    const none = { session: "nobody has made it" }
    const reads = kinds.read.client
    expect(await refusal(reads.request("tools.list", none))).toMatchObject({ status: 404 })
    expect(await refusal(reads.request("artifacts.list", none))).toMatchObject({ status: 404 })
    const watched = reads.watch("entries.watch", none)[Symbol.asyncIterator]()
    expect(await refusal(watched.next())).toMatchObject({ status: 404 })
    expect(keep.sessions().map(({ name }) => name)).not.toContain(none.session)
    expect(await client.request("tokens.revoke", { token: kinds.read.token })).toEqual({
      revoked: true,
    })
    expect(await refusal(kinds.read.client.request("sessions.list", {}))).toMatchObject({
      status: 401,
    })
    const { tokens } = await client.request("tokens.list", {})
    expect(JSON.stringify(tokens)).not.toContain(kinds.session.secret)
    expect(statSync(join(home, "tokens.json")).mode & 0o777).toBe(0o600)
  })

  it("C18: a code signs in one device once, and guesses are slowed down", async () => {
    const { code } = await owner().request("codes.create", {})
    const stranger = createClient({ url: base })
    const { secret } = await stranger.request("codes.redeem", { code, name: "phone" })
    const phone = createClient({ url: base, token: secret })
    expect(await phone.request("server.show", {})).toMatchObject({ host: "bubblewrap" })
    expect(await refusal(stranger.request("codes.redeem", { code }))).toMatchObject({
      ...{ status: 403, message: expect.stringContaining("once") },
    })
    const tries = await Promise.all(
      Array.from({ length: 30 }, (_, guess) =>
        refusal(stranger.request("codes.redeem", { code: `guess${guess}` })),
      ),
    )
    expect(tries).toContainEqual(expect.objectContaining({ status: 503 }))
  })

  it("C18: other sites, other ports, rebound names and requests without a token get nothing", async () => {
    const headers = { Authorization: `Bearer ${server.token}` }
    const ask = async (more: Record<string, string>) =>
      (await fetch(`${base}/api/sessions`, { headers: { ...headers, ...more } })).status
    expect(await ask({})).toBe(200)
    expect(await ask({ Origin: base })).toBe(200)
    expect(await ask({ Origin: "http://evil.example" })).toBe(403)
    expect(await ask({ Origin: `http://127.0.0.1:${server.port + 1}` })).toBe(403)
    expect(await ask({ Origin: "null" })).toBe(403)
    expect((await fetch(`${base}/api/sessions`)).status).toBe(401)
    const nothing = await fetch(`${base}/api/nothing`, { headers })
    expect([nothing.status, await nothing.json()]).toMatchObject([404, { kind: "not_found" }])
  })

  it("F1: wrong arguments are refused by field, text is read as the number that is wanted, and nothing is given twice", async () => {
    const client = owner()
    const headers = { Authorization: `Bearer ${server.token}`, "Content-Type": "application/json" }
    const ask = async (path: string, init?: RequestInit) => {
      const response = await fetch(`${base}/api${path}`, { headers, ...init })
      return [response.status, await response.json()]
    }
    expect(await ask("/sessions?limit=1")).toMatchObject([200, { sessions: expect.anything() }])
    expect(await ask("/sessions?limit=x")).toMatchObject([
      400,
      { kind: "invalid_args", field: "limit" },
    ])
    expect(await ask("/sessions?other=1")).toMatchObject([400, { field: "other" }])
    expect(await ask("/sessions?limit=1&limit=2")).toMatchObject([400, { field: "limit" }])
    const post = (body: string) => ask("/sessions/x/calls", { method: "POST", body })
    expect(await post("{")).toMatchObject([400, { message: "The body is not valid JSON." }])
    expect(await post("[]")).toMatchObject([400, { message: "The body must be a JSON object." }])
    expect(await post('{"session":"y","tool":"a"}')).toMatchObject([400, { field: "session" }])
    expect(await post("{}")).toMatchObject([400, { field: "tool" }])
    expect(
      (await client.request("calls.start", { session: "x", tool: "no.such" })).envelope,
    ).toMatchObject({
      kind: "tool_not_found",
    })
  })
})

it("F20: after a body that is too large, or for nobody, the next request on the same connection is answered", async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  onTestFinished(() => agent.destroy())
  const ask = async (
    method: string,
    path: string,
    body?: Buffer | Readable,
    token = server.token,
  ) => {
    const headers = {
      ...{ Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
      ...(body instanceof Buffer && { "Content-Length": body.length }),
    }
    const asked = request(`${base}${path}`, { method, headers, agent })
    if (body instanceof Readable) body.pipe(asked)
    else asked.end(body)
    const [response]: IncomingMessage[] = await once(asked, "response")
    const pieces: Buffer[] = (await response?.toArray()) ?? []
    // The connection is free for the next request when all of this one is sent.
    if (!asked.writableFinished) await once(asked, "finish")
    return [response?.statusCode, Buffer.concat(pieces).toString()]
  }
  const large = Buffer.alloc(9 * 1024 ** 2, " ")
  const parts = () => Readable.from(Array.from({ length: 9 }, () => large.subarray(0, 1024 ** 2)))
  const tooLarge = expect.stringMatching(/larger than \d+ MiB/)
  const calls = "/api/sessions/large/calls"
  for (const [path, body, status, text, token] of [
    [calls, large, 400, tooLarge],
    [calls, parts(), 400, tooLarge],
    [calls, large, 401, expect.anything(), "0123456789abcdef"],
    ["/api/nothing", large, 404, expect.anything()],
    ["/nothing", large, 404, expect.anything()],
  ] as const) {
    expect(await ask("POST", path, body, token)).toEqual([status, text])
    expect(await ask("GET", "/api/sessions?limit=1")).toMatchObject([200, expect.anything()])
  }
  const put = "/api/sessions/large/sandboxes/default/file?path=%2Fproc%2Fnowhere"
  expect((await ask("PUT", put, large))[0]).toBeGreaterThanOrEqual(400)
  expect(await ask("GET", "/api/sessions?limit=1")).toMatchObject([200, expect.anything()])
})

it("F1: the API describes itself as OpenAPI 3.1, with every route", async () => {
  const document = (await (await fetch(`${base}/openapi.json`)).json()) as {
    openapi: string
    paths: Record<string, Record<string, { operationId: string }>>
  }
  expect(document.openapi).toBe("3.1.0")
  const ids = Object.values(document.paths).flatMap((path) =>
    Object.values(path).map(({ operationId }) => operationId),
  )
  expect(ids.toSorted()).toEqual(routeEntries.map(([name]) => name).toSorted())
})

describe("questions of MCP clients", () => {
  const call = { name: "file_write", arguments: { path: "b.txt", content: "b" } }
  const connect = async (options?: ConstructorParameters<typeof Client>[1]) => {
    const client = new Client({ name: "asker", version: "1" }, options)
    const requestInit = { headers: { Authorization: `Bearer ${server.token}` } }
    await client.connect(new StreamableHTTPClientTransport(new URL(server.url), { requestInit }))
    onTestFinished(() => client.close())
    return client
  }
  /** Answers the questions that come, as a person at a page would. */
  const answerAll = (answer: "approve" | "deny") => {
    const api = owner()
    const stop = new AbortController()
    onTestFinished(() => stop.abort())
    const watching = Promise.withResolvers<void>()
    void (async () => {
      for await (const { data } of api.watch("questions.watch", {}, stop)) {
        watching.resolve()
        for (const { question, fingerprint } of Object(data).questions) {
          await api.request("questions.answer", { question, answer, fingerprint })
        }
      }
    })()
    return watching.promise
  }

  it("X7: a client that can't ask is refused while nobody watches, and waits for the page while somebody does", async () => {
    const client = await connect()
    const text = async () => JSON.stringify(await client.callTool(call))
    expect(await text()).toContain("this client can't ask a person")
    await answerAll("approve")
    expect(await text()).toContain("b.txt")
  })

  it("X7: the call of a session's token waits for the page, and that token can't answer it itself", async () => {
    const made = { name: "agent", kind: "session", session: "agent" } as const
    const { secret } = await owner().request("tokens.create", made)
    const agent = createClient({ url: base, token: secret })
    expect(await refusal(agent.request("questions.list", {}))).toMatchObject({ status: 403 })
    await answerAll("approve")
    const write = { tool: "file.write", input: call.arguments }
    expect(await agent.request("calls.start", { session: "agent", ...write })).toMatchObject({
      envelope: { ok: true },
    })
  })

  it("X7: of the client's person and the page, the first who answers counts", async () => {
    const client = await connect({ capabilities: { elicitation: {} } })
    const never = new Promise<never>(() => {})
    client.setRequestHandler("elicitation/create", () => never)
    await answerAll("deny")
    expect(JSON.stringify(await client.callTool(call))).toContain("A person said no")
  })

  it("X7: a page that is opened while the client's person is asked sees the question, and can answer it", async () => {
    const client = await connect({ capabilities: { elicitation: {} } })
    const asked = Promise.withResolvers<void>()
    client.setRequestHandler("elicitation/create", () => {
      asked.resolve()
      return new Promise<never>(() => {})
    })
    const answer = client.callTool(call)
    await asked.promise
    await answerAll("deny")
    expect(JSON.stringify(await answer)).toContain("A person said no")
  })
})
