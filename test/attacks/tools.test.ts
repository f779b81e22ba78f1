import { readFileSync } from "node:fs"
import { createServer } from "node:net"
import { dirname } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { createPool, type Host, memoryHost } from "../../src/sandbox/index.ts"
import { openToolkeep, type Session, type Toolkeep } from "../../src/session/index.ts"
import { type AttackGround, openMcpFixture } from "./attack-ground.ts"

let ground: AttackGround
const open: Toolkeep[] = []
const secretName = "TOOLKEEP_TOOLS_SECRET"
beforeAll(async () => {
  ground = await openMcpFixture()
  process.env[secretName] = ground.secret
})
afterAll(async () => {
  delete process.env[secretName]
  for (const keep of open) await keep.close()
  await ground[Symbol.asyncDispose]()
})

async function sessionOn(host: Host): Promise<Session> {
  const keep = await openToolkeep({ host })
  open.push(keep)
  return keep.session()
}

/** Everything that a model gets to see of some calls. */
async function answersOf(session: Session, calls: readonly (readonly [string, object])[]) {
  const envelopes = await Promise.all(calls.map(([tool, input]) => session.call(tool, input)))
  return JSON.stringify(envelopes)
}

/** Every way by which a tool reaches a path. */
function reachAll(path: string): readonly (readonly [string, object])[] {
  return [
    ["file.read", { path }],
    ["file.read", { path, encoding: "base64" }],
    ["file.list", { path: dirname(path) }],
    ["file.grep", { pattern: "canary-", path: dirname(path) }],
    ["file.glob", { pattern: "**/canary", path: dirname(path) }],
    ["file.edit", { path, edits: [{ search: "canary", replace: "owned" }] }],
    ["file.patch", { patch: `--- ${path}\n+++ ${path}\n@@ -1 +1 @@\n-canary-\n+owned\n` }],
    ["file.info", { path }],
    ["file.write", { path, content: "owned" }],
    ["shell.exec", { command: `cat '${path}'; echo owned >>'${path}'` }],
    ["code.run", { language: "bash", code: `cat '${path}'; echo owned >>'${path}'` }],
  ]
}

const hosts: readonly (readonly [string, () => Host])[] = [
  ["bubblewrap", () => ground.host],
  ["memory", () => memoryHost()],
]

describe("through the tools of a session", () => {
  it("C18, F18: gives a call variables by which another command than the judged one would run", async () => {
    const session = await sessionOn(ground.host)
    const calls = [
      ["shell.exec", { command: "echo judged" }],
      ["code.run", { language: "bash", code: "echo judged" }],
      ["code.run", { language: "python", code: "print('judged')" }],
    ] as const
    const names = ["toolkeep_command", "toolkeep_prepare", "toolkeep_io", "PROMPT_COMMAND", "UID"]
    for (const [tool, input] of calls) {
      const env = Object.fromEntries(names.map((name) => [name, "echo replaced"]))
      const envelope = await session.call(tool, { ...input, env })
      expect(envelope).toMatchObject({ ok: true, result: { exit_code: 0, stdout: "judged\n" } })
      const refused = await session.call(tool, { ...input, env: { BASH_ENV: "$(echo replaced)" } })
      expect(refused).toMatchObject({ ok: false, kind: "invalid_args", field: "env" })
    }
  })

  it("C18, F18: reaches a host file by its path, through .. and through planted links", async () => {
    for (const [, host] of hosts) {
      const session = await sessionOn(host())
      const { canary, secret } = ground
      const links = `ln -s ${canary} link; ln -s ${dirname(canary)} folder; mkdir d; ln -s / d/root`
      await session.call("shell.exec", { command: links })
      const paths = [canary, `../../../../..${canary}`, "link", "folder/canary", `d/root${canary}`]
      for (const path of paths) {
        const answers = await answersOf(session, reachAll(path))
        expect(answers).not.toContain(secret)
        expect(answers).not.toContain(Buffer.from(secret).toString("base64"))
        expect(readFileSync(canary, "utf8")).toBe(secret)
      }
    }
  })

  it("C18: works in a directory of the host, given as cwd", async () => {
    for (const [, host] of hosts) {
      const session = await sessionOn(host())
      const { directory, secret } = ground
      const inCwd = await session.call("shell.exec", { command: "cat canary", cwd: directory })
      const inCall = await session.call("file.read", { path: "canary" }, { cwd: directory })
      expect(JSON.stringify([inCwd, inCall])).not.toContain(secret)
    }
  })

  it("C18: reads the host's environment and secrets by command", async () => {
    for (const [, host] of hosts) {
      const session = await sessionOn(host())
      const command = `env; echo $${secretName}; cat /proc/*/environ /proc/self/environ /etc/shadow`
      const answers = await answersOf(session, [["shell.exec", { command }]])
      expect(answers).not.toContain(ground.secret)
      expect(answers).not.toContain("root:*:")
    }
  })

  it("C18: breaks out of the quoting of a path, a pattern or a name", async () => {
    for (const [, host] of hosts) {
      const session = await sessionOn(host())
      const names = ["'; echo broken >/tmp/broken; '", "$(echo broken >/tmp/broken)", "-rf", "`x`"]
      for (const path of names) {
        await answersOf(session, [
          ["file.write", { path, content: "x" }],
          ["file.read", { path }],
          ["file.grep", { pattern: path, path: "." }],
          ["file.glob", { pattern: path }],
          ["file.list", { path }],
        ])
      }
      const look = await session.call("shell.exec", { command: "test -e /tmp/broken; echo $?" })
      expect(look).toMatchObject({ ok: true, result: { stdout: "1\n" } })
    }
  })

  it("C18: names a sandbox so that its files land elsewhere", async () => {
    for (const [, host] of hosts) {
      const pool = createPool(host())
      for (const name of ["../escape", "/etc", "a/b", "..", "", "a\0b", "-rf"]) {
        await expect(pool.workspace(name)).rejects.toMatchObject({ kind: "invalid_args" })
      }
      await pool.destroy()
    }
  })
})

describe("from the memory host", () => {
  it("C18: reaches a service of the host or the internet", async () => {
    let connections = 0
    const server = createServer((socket) => {
      connections += 1
      socket.end()
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const address = server.address()
    const port = typeof address === "object" ? address?.port : null
    await using pool = createPool(memoryHost())
    const workspace = await pool.workspace()
    const urls = [`http://127.0.0.1:${port}`, "http://169.254.169.254/", "http://1.1.1.1/"]
    for (const url of urls) {
      const { exitCode } = await workspace.exec(`curl -sf -m 2 ${url}`, { timeoutMs: 5_000 })
      expect(exitCode).not.toBe(0)
    }
    await workspace
      .exec(`echo hi >/dev/tcp/127.0.0.1/${port}`, { timeoutMs: 5_000 })
      .catch(() => {})
    server.close()
    expect(connections).toBe(0)
  })

  it("O30: loops, floods and fills without end", async () => {
    await using pool = createPool(memoryHost())
    const workspace = await pool.workspace()
    const bombs = ["while :; do :; done", "yes", ":(){ :|:& };:", "while :; do x=$x$x.; done"]
    for (const bomb of bombs) {
      const outcome = await workspace.exec(bomb, { timeoutMs: 1_000 }).catch((error) => error)
      expect(outcome.exitCode ?? outcome.kind).not.toBe(0)
    }
    const fill = `while :; do printf '%01000000d' 1 >>/tmp/fill || exit 7; done`
    const filled = await workspace.exec(fill, { timeoutMs: 8_000 }).catch((error) => error)
    expect(filled.exitCode ?? filled.kind).not.toBe(0)
    expect((await workspace.exec("echo alive")).stdout).toBe("alive\n")
  })
})
