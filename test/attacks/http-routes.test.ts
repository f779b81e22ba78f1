import { mkdtempSync, readdirSync, readlinkSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it, onTestFinished } from "vitest"
import { type ApiError, createClient } from "../../src/api/index.ts"
import { createQuestions, serveApi } from "../../src/http/index.ts"
import { systemClock } from "../../src/kit/index.ts"
import { createPreviewHub } from "../../src/sandbox/index.ts"
import { importSession, openToolkeep } from "../../src/session/index.ts"
import { openRecord } from "../../src/store/index.ts"

async function startServer() {
  const home = mkdtempSync(join(tmpdir(), "toolkeep-routes-"))
  const store = await openRecord({ file: join(home, "record.sqlite") })
  const keep = await openToolkeep({ host: "memory", home, record: store })
  const questions = createQuestions({ store, clock: systemClock })
  const server = await serveApi(keep, {
    ...{ store, home, questions, previewHub: createPreviewHub() },
    ...{ port: 0, console: false },
  })
  onTestFinished(async () => {
    await server.close()
    await keep.close()
    await store.close()
    rmSync(home, { recursive: true, force: true })
  })
  const url = `http://127.0.0.1:${server.port}`
  const clientOf = (token: string) => createClient({ url, token })
  const owner = clientOf(server.token)
  return { url, store, owner, clientOf }
}

const refused = ({ status, kind }: ApiError) => ({ status, kind })

/** What this process has open. */
const openFiles = () =>
  readdirSync("/proc/self/fd").flatMap((descriptor) => {
    try {
      return [readlinkSync(`/proc/self/fd/${descriptor}`)]
    } catch {
      return []
    }
  })

/** What a call changed, with the texts of the files. */
const changed = (call: string, path: string, hash: string) => ({
  kind: "call-effects",
  at: 1,
  body: {
    ...{ call, sandbox: "default", shared: [], output: { cut: 0 } },
    files: {
      below: "/home/user",
      created: { count: 1, first: [{ path, type: "file", bytes: 1, after: { hash } }] },
      ...{ changed: { count: 0, first: [] }, removed: { count: 0, first: [] } },
    },
  },
})

const linesOf = (name: string, entries: readonly object[]) =>
  [
    { toolkeep: "session", version: 1, name, state: "idle", entries: entries.length, questions: 0 },
    ...entries.map((entry, index) => ({
      ...{ sequence: index + 1, parent: index || null, at: 1, milestone: true, ...entry },
    })),
  ]
    .map((line) => `${JSON.stringify(line)}\n`)
    .join("")

const spent = { rounds: 1, calls: 0, callsOf: {}, commands: 0, tokens: 2, cost: 0 }

it("F18: the changes of a session are its own and its tasks', whatever names an imported entry has", async () => {
  const { store, owner, clientOf } = await startServer()
  const secret = await store.open("secret")
  const [hash] = await secret.putTexts(["the plan\n"])
  await secret.append([changed("call_1", "plan.txt", String(hash))])
  await secret.close()
  const child = (session: string) => ({ kind: "child", body: { call: "c", session, spent } })
  const text = linesOf("theirs", [child("secret"), child("theirs"), child("none")])
  await importSession(store, ReadableStream.from([Buffer.from(text)]))
  const narrow = { name: "narrow", kind: "session", session: "theirs" } as const
  const { secret: token } = await owner.request("tokens.create", narrow)
  expect(await clientOf(token).request("changes.list", { session: "theirs" })).toEqual({
    ...{ calls: 0, sandboxes: [], turns: [] },
  })
})

it("F18: the name of a file adds no lines to the diff of it", async () => {
  const { store, owner } = await startServer()
  const record = await store.open("work")
  const [hash] = await record.putTexts(["bad\n"])
  await record.append([changed("call_1", "x\n@@ -1 +1 @@\n+good", String(hash))])
  await record.close()
  const { sandboxes } = await owner.request("changes.list", { session: "work" })
  expect(sandboxes[0]?.files[0]?.diff).toBe(
    '--- /dev/null\n+++ "x\\n@@ -1 +1 @@\\n+good"\n@@ -0,0 +1,1 @@\n+bad\n',
  )
})

it("F18: what an import says of sandboxes and networks is refused where the history of a sandbox could not show it", async () => {
  const { store, owner } = await startServer()
  const bring = (name: string, entry: object) =>
    importSession(store, ReadableStream.from([Buffer.from(linesOf(name, [entry]))]))
  const entries = [
    { kind: "sandbox", body: null },
    { kind: "sandbox", body: { sandbox: "default", change: {} } },
    { kind: "sandbox", body: { sandbox: "default", change: "forked", to: 7 } },
    { kind: "network-decided", body: { sandbox: "default", decisions: "all", more: 0 } },
    { kind: "network-decided", body: { sandbox: "default", decisions: [{}], more: 0 } },
    { kind: "network-decided", body: { sandbox: "default", decisions: [], more: "many" } },
    { kind: "answer", body: { call: "c", answer: null } },
  ]
  for (const entry of entries) {
    await expect(bring("odd", entry)).rejects.toThrow("has an entry that is not what its kind says")
  }
  const decision = {
    target: "example.com",
    port: 443,
    allowed: true,
    rule: "example.com",
    times: 2,
  }
  const body = { sandbox: "default", decisions: [decision], more: 1 }
  await bring("even", { kind: "network-decided", body })
  await bring("events", { kind: "sandbox", body: { sandbox: "default", change: "created" } })
  const asked = { session: "even", sandbox: "default" }
  expect((await owner.request("sandboxes.network", asked)).decisions).toHaveLength(2)
  const past = await owner.request("sandboxes.history", { session: "events", sandbox: "default" })
  expect(past.events).toMatchObject([{ what: "created" }])
})

it("Y16, X2: the token of one session opens no session beside it, whatever its name", async () => {
  const { store, owner, clientOf } = await startServer()
  const narrow = { name: "narrow", kind: "session", session: "mine" } as const
  const { secret } = await owner.request("tokens.create", narrow)
  const client = clientOf(secret)
  const call = (session: string) =>
    client.request("calls.start", {
      ...{ session, tool: "shell.exec", input: { command: "echo hi" } },
    })
  expect(await call("mine")).toMatchObject({ envelope: { ok: true } })
  for (const session of ["mine/1", "mine/1/2", "mine/", "minefield", "mine/../other"]) {
    expect(await call(session).catch(refused)).toEqual({ status: 403, kind: "rejected" })
  }
  expect((await store.sessions()).map(({ name }) => name)).toEqual(["mine"])
  const id = (await store.sessions())[0]?.id ?? ""
  await (await store.open("mine/task", { parent: { session: id, call: "call_1" } })).close()
  expect(await client.request("entries.list", { session: "mine/task" })).toMatchObject({ head: 0 })
})

it("Y16, X2: a request that reads nothing of a file leaves no file open", async () => {
  const { url, owner } = await startServer()
  const run = (tool: string, input: object) =>
    owner.request("calls.start", { session: "demo", tool, input: { ...input } })
  await run("shell.exec", { command: "echo '<p>hi</p>' > page.html" })
  await run("artifact.share", { path: "page.html" })
  const { artifacts } = await owner.request("artifacts.list", { session: "demo" })
  const [{ artifact } = { artifact: "" }] = artifacts
  const reader = { name: "reader", kind: "read" } as const
  const { secret } = await owner.request("tokens.create", reader)
  const path = `${url}/api/sessions/demo/artifacts/${artifact}`
  const ask = (method: string) =>
    fetch(path, { method, headers: { authorization: `Bearer ${secret}` } })
  for (let count = 0; count < 50; count += 1) expect((await ask("HEAD")).status).toBe(200)
  expect(openFiles().filter((file) => file.endsWith("page.html"))).toEqual([])
  expect(await (await ask("GET")).text()).toBe("<p>hi</p>\n")
  await expect
    .poll(() => openFiles().filter((file) => file.endsWith("page.html")), { timeout: 30_000 })
    .toEqual([])
})
