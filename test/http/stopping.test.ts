import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it, onTestFinished } from "vitest"
import { createAgent } from "../../src/agent/index.ts"
import { createClient } from "../../src/api/index.ts"
import { createQuestions, serveApi } from "../../src/http/index.ts"
import { systemClock } from "../../src/kit/index.ts"
import { createPreviewHub } from "../../src/sandbox/index.ts"
import { openToolkeep } from "../../src/session/index.ts"
import { openRecord } from "../../src/store/index.ts"
import { scriptedModel } from "../support/agent/scripted-model.ts"

it("O25, X7: a server that stops gives the calls of its API and of its agent a while, answers them, and tells those who watch", async () => {
  const home = mkdtempSync(join(tmpdir(), "toolkeep-stopping-"))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  await using store = await openRecord({ file: join(home, "record.sqlite") })
  await using keep = await openToolkeep({ host: "memory", home, record: store })
  const questions = createQuestions({ store, clock: systemClock })
  const waiting = "echo begun; until [ -e end ]; do sleep 0.1; done; echo done"
  const model = scriptedModel(() => ({
    calls: [waiting, "sleep 600"].map((command) => ({ tool: "shell_exec", input: { command } })),
  }))
  const server = await serveApi(keep, {
    ...{ store, home, questions, previewHub: createPreviewHub(), limits: { stopMs: 10_000 } },
    ...{ port: 0, console: false },
    ownAgent: { open: async () => ({ model: "scripted", agent: createAgent({ model }) }) },
  })
  const client = createClient({ url: `http://127.0.0.1:${server.port}`, token: server.token })
  const session = "demo"
  const call = (command: string) =>
    client.request("calls.start", { session, tool: "shell.exec", input: { command } })
  await call("true")

  const told = Promise.withResolvers<void>()
  const seen: string[] = []
  const ended = new AbortController()
  onTestFinished(() => ended.abort())
  const begun = Promise.withResolvers<void>()
  void (async () => {
    const options = { ...ended, onStopping: told.resolve }
    for await (const { event, data } of client.watch("entries.watch", { session }, options)) {
      const { kind, body } = Object(data)
      if (event === "entry" && kind === "envelope") seen.push(body.envelope.kind ?? "ok")
      const running = [session, "agent"].map((name) => keep.session(name).running().length)
      if (running.every((count) => count === 2)) begun.resolve()
    }
  })()
  await client.request("runs.start", { session: "agent", text: "Work." })
  await expect.poll(() => keep.session("agent").running().length).toBe(2)
  const short = call(waiting)
  const long = call("echo begun; sleep 600")
  await begun.promise
  const closed = server.close()
  await told.promise
  const end = { path: "end", content: "" }
  await keep.session("agent").call("file.write", end)
  await keep.session(session).call("file.write", end)
  const late = call("true").catch(({ message }: Error) => message)
  expect(await short).toMatchObject({ envelope: { ok: true, result: { stdout: "begun\ndone\n" } } })
  expect(await long).toMatchObject({
    envelope: { ok: false, kind: "unavailable", message: expect.stringContaining("was stopped") },
  })
  // Refused, or not even connected: nothing new begins.
  expect(await late).toMatch(/stopping|fetch failed/)
  await closed
  // Those who watch have seen how both ended, and the call that ended the short one, before their streams did.
  expect(seen).toEqual(["ok", "ok", "ok", "unavailable"])
  // The agent's calls as well; its model was asked nothing more, and the run can be continued.
  const reader = await store.read("agent")
  const entries = (await reader?.entries()) ?? []
  const envelopes = entries.filter(({ kind }) => kind === "envelope").map(({ body }) => body)
  const byTool = envelopes.map((body) => Object(body).envelope)
  const ofShell = byTool.filter(({ tool }) => tool === "shell.exec")
  expect(ofShell).toMatchObject([
    { ok: true, result: { stdout: "begun\ndone\n" } },
    { ok: false, kind: "unavailable", message: expect.stringContaining("was stopped") },
  ])
  expect(entries.at(-1)).toMatchObject({ kind: "run-ended", body: { why: "aborted" } })
  expect(model.requests).toHaveLength(1)
})
