import { Sandbox as OpenSandbox } from "@alibaba-group/opensandbox"
import { Sandbox } from "e2b"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { httpLimits } from "../../src/http/limits.ts"
import { type E2bServer, serveE2b } from "../support/http/e2b-fixture.ts"
import { type OpenSandboxServer, serveOpenSandbox } from "../support/http/opensandbox-fixture.ts"

const times = (count: number) => Array.from({ length: count }, (_, index) => index)

describe("after an answer of OpenSandbox's API", () => {
  let server: OpenSandboxServer
  let sandbox: OpenSandbox
  const create = () =>
    OpenSandbox.create({
      connectionConfig: server.connection(),
      image: "host",
      timeoutSeconds: 600,
    })
  const ask = (method: string, path: string, body?: unknown) =>
    fetch(`http://127.0.0.1:${server.port}/v1/sandboxes/${path}`, {
      ...{ method, body: JSON.stringify(body) },
      headers: { "OPEN-SANDBOX-API-KEY": server.token, "Content-Type": "application/json" },
    })
  beforeAll(async () => {
    server = await serveOpenSandbox()
    sandbox = await create()
  })
  afterAll(async () => {
    await sandbox?.close()
    await server?.[Symbol.asyncDispose]()
  })

  it("R12: a command that was interrupted has ended, and says when", async () => {
    for (const _ of times(3)) {
      const up = Promise.withResolvers<string>()
      const running = sandbox.commands.run("sleep 1000", undefined, {
        onInit: (init) => up.resolve(init.id),
      })
      const id = await up.promise
      await sandbox.commands.interrupt(id)
      const status = await sandbox.commands.getCommandStatus(id)
      expect(status).toMatchObject({ running: false, exitCode: 143, finishedAt: expect.any(Date) })
      await running
    }
    for (const _ of times(5)) {
      const { id = "" } = await sandbox.commands.run("sleep 1000", { background: true })
      await sandbox.commands.interrupt(id)
      const status = await sandbox.commands.getCommandStatus(id)
      expect(status).toMatchObject({ running: false, exitCode: 143, finishedAt: expect.any(Date) })
    }
  })

  it("R12: changes that are made at once are all there", async () => {
    await Promise.all(
      times(10).map((index) => ask("PATCH", `${sandbox.id}/metadata`, { [`key${index}`]: "set" })),
    )
    expect(Object.keys((await sandbox.getInfo()).metadata ?? {})).toHaveLength(10)
    const targets = times(5).map((index) => `host${index}.example`)
    await Promise.all(
      targets.map((target) => sandbox.patchEgressRules([{ action: "allow", target }])),
    )
    const allowed = (await sandbox.getEgressPolicy()).egress?.map(({ target }) => target)
    expect(allowed?.toSorted()).toEqual(targets)
  })

  it("R12: a change that was made while a sandbox woke stays", async () => {
    for (const round of times(5)) {
      await sandbox.pause()
      const expiresAt = new Date(Date.now() + 1_000_000 + round * 1000)
      await Promise.all([
        sandbox.resume(),
        ask("POST", `${sandbox.id}/renew-expiration`, { expiresAt }),
        ask("PATCH", `${sandbox.id}/metadata`, { round: String(round) }),
      ])
      expect(await sandbox.getInfo()).toMatchObject({
        ...{ expiresAt, metadata: { round: String(round) }, status: { state: "Running" } },
      })
    }
  })

  it("R12: a sandbox that was deleted is not there again, whatever else was asked meanwhile", async () => {
    for (const _ of times(4)) {
      const own = await create()
      const { id } = own
      let isOver = false
      const meanwhile = times(6).map(async (index) => {
        while (!isOver) {
          const answer = await (index < 3
            ? ask("PATCH", `${id}/metadata`, { [`key${index}`]: "set" })
            : ask("POST", `${id}/execd/command`, { command: "true" }))
          await answer.text()
        }
      })
      const [deleted, found] = [await ask("DELETE", id), await ask("GET", id)]
      isOver = true
      await Promise.all(meanwhile)
      expect([deleted.status, found.status, (await ask("GET", id)).status]).toEqual([204, 404, 404])
      expect(server.keep.sessions().map(({ name }) => name)).not.toContain(id)
      await own.close()
    }
  })
})

describe("after an answer of E2B's API", () => {
  let server: E2bServer
  let sandbox: Sandbox
  beforeAll(async () => {
    server = await serveE2b()
    sandbox = await Sandbox.create({ ...server.connection, timeoutMs: 600_000 })
  })
  afterAll(() => server?.[Symbol.asyncDispose]())

  it("R12: a command that was killed runs no more", async () => {
    for (const _ of times(5)) {
      const command = await sandbox.commands.run("sleep 4321", { background: true, timeoutMs: 0 })
      await command.kill()
      const { stdout } = await sandbox.commands.run("pgrep -fc 'sleep 432[1]' || true")
      expect(stdout).toBe("0\n")
      await command.wait().catch(() => {})
    }
  })

  it("R12: the time of a sandbox is the longest that was asked for at once", async () => {
    const own = await Sandbox.create({ ...server.connection, timeoutMs: 10_000 })
    const connect = (timeoutMs: number) =>
      Sandbox.connect(own.sandboxId, { ...server.connection, timeoutMs })
    for (const round of times(5)) {
      const most = 100_000 * (round + 1)
      const since = Date.now()
      await Promise.all([most, most / 2, most / 3, most / 4].map(connect))
      const { endAt } = await own.getInfo()
      expect(endAt.getTime()).toBeGreaterThanOrEqual(since + most)
    }
    await own.kill()
  })

  it("R12: nothing is listed of what ran before a pause", async () => {
    const own = await Sandbox.create({ ...server.connection, timeoutMs: 600_000 })
    for (const _ of times(3)) {
      const ran = await Promise.all([
        own.commands.run("sleep 1000", { background: true, timeoutMs: 0 }),
        own.commands.run("yes", { background: true, timeoutMs: 0 }),
        own.pty.create({ cols: 80, rows: 24, onData: () => {} }),
      ])
      await own.pause()
      await own.connect({ timeoutMs: 600_000 })
      expect(await own.commands.list()).toEqual([])
      await Promise.allSettled(ran.map((one) => one.wait()))
    }
    await own.kill()
  })

  it("R12: terminals that were killed leave their places, also where nobody reads what they drew", async () => {
    const { apiKey, apiUrl } = server.connection
    const id = sandbox.sandboxId
    const opened = await fetch(`${apiUrl}/sandboxes/${id}/connect`, {
      ...{ method: "POST", body: "{}" },
      headers: { "X-API-Key": apiKey, "Content-Type": "application/json" },
    })
    const { envdAccessToken } = (await opened.json()) as { readonly envdAccessToken: string }
    const headers = {
      ...{ "E2b-Sandbox-Id": id, "X-Access-Token": envdAccessToken },
      "Content-Type": "application/connect+json",
    }
    const gone = new AbortController()
    const start = (cmd: string, args: readonly string[]) => {
      const message = Buffer.from(JSON.stringify({ process: { cmd, args }, pty: {} }))
      const length = Buffer.alloc(5)
      length.writeUInt32BE(message.length, 1)
      const body = Buffer.concat([length, message])
      return fetch(`${apiUrl}/process.Process/Start`, {
        ...{ method: "POST", headers, body, signal: gone.signal },
      })
    }
    const others = times(httpLimits.terminals - 1).map(() => start("sleep", ["1000"]))
    const unread = await start("yes", ["x".repeat(500)])
    await Promise.all(others)
    const listed = () => sandbox.commands.list()
    await expect.poll(async () => (await listed()).length).toBe(httpLimits.terminals)
    // What nobody reads holds back the rest.
    const written = `for at in /proc/[0-9]*; do [[ $(<$at/comm) == yes ]] && grep wchar $at/io; done; true`
    let before = ""
    const isHeld = async () => {
      const { stdout } = await sandbox.commands.run(written)
      const isSame = stdout === before
      before = stdout
      return isSame && stdout.startsWith("wchar")
    }
    await expect.poll(isHeld, { interval: 200 }).toBe(true)
    const yes = (await listed()).find(({ cmd }) => cmd === "yes")
    expect(await sandbox.pty.kill(yes?.pid ?? 0)).toBe(true)
    const next = await sandbox.pty.create({ cols: 80, rows: 24, onData: () => {} })
    expect(await sandbox.pty.kill(next.pid)).toBe(true)
    expect(unread.bodyUsed).toBe(false)
    gone.abort()
    await next.wait().catch(() => {})
  })
})
