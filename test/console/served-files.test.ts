import { execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { request } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { expect, it, onTestFinished } from "vitest"
import { repositoryRoot } from "../../scripts/repository.ts"
import { createClient } from "../../src/api/index.ts"
import { startServer } from "../e2e/start-server.ts"

const program = new URL("../../src/cli/main.ts", import.meta.url).pathname
const run = promisify(execFile)

async function up(...flags: readonly string[]) {
  const args = [program, "up", "--host", "memory", "--port", "0", ...flags]
  const server = await startServer(process.execPath, args)
  const { url } = await server.ready()
  return { ...server, origin: new URL(url).origin }
}

/** What the server answers to a request with these headers, the name in Host included. */
async function ask(origin: string, path: string, headers: Readonly<Record<string, string>> = {}) {
  const asked = request(new URL(path, origin), { headers }).end()
  const [response] = await once(asked, "response")
  const pieces: Buffer[] = await response.toArray()
  return {
    status: response.statusCode,
    headers: response.headers,
    text: Buffer.concat(pieces).toString(),
  }
}

it("O27, Y9: the console is served under a policy that lets nothing else run or frame it", async () => {
  const { origin } = await up()
  const page = await ask(origin, "/s/any%20session")
  expect(page.status).toBe(200)
  expect(page.headers["content-security-policy"]).toContain("script-src 'self'; style-src 'self'")
  expect(page.headers["content-security-policy"]).toContain("frame-ancestors 'none'")
  expect(page.headers["content-security-policy"]).toContain("require-trusted-types-for 'script'")
  expect(page.headers["cache-control"]).toBe("no-cache")
  const script = /src="(\/assets\/[^"]+\.js)"/.exec(page.text)?.[1] ?? ""
  const asset = await ask(origin, script, { "accept-encoding": "gzip, br" })
  expect([asset.status, asset.headers["content-encoding"]]).toEqual([200, "br"])
  expect(asset.headers["content-type"]).toBe("text/javascript; charset=utf-8")
  expect((await ask(origin, "/assets/..%2findex.html")).status).toBe(404)
  expect((await ask(origin, "/assets/missing.js")).status).toBe(404)
})

it("O26, X7: an address that leads to nothing is a page for people, with a link to the console, and JSON for programs", async () => {
  const { origin } = await up()
  const browser = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" }
  for (const path of [
    "/nonsense",
    "/waitin",
    "/%3Cscript%3E",
    "/settings/x",
    "/.env",
    "/s/%zz",
    "/p/%e0%a4%a",
  ]) {
    const page = await ask(origin, path, browser)
    expect([path, page.status]).toEqual([path, 404])
    expect(page.headers["content-type"]).toBe("text/html; charset=utf-8")
    expect(page.headers["content-security-policy"]).toMatch(
      /^default-src 'none'; style-src 'sha256-/,
    )
    expect(page.text).toContain("There is no such page")
    expect(page.text).toContain('<a href="/">')
    expect(page.text).not.toContain("script")
  }
  expect((await ask(origin, "/nonsense", { ...browser, host: "evil.example" })).status).toBe(403)
  const program = await ask(origin, "/nonsense", { accept: "application/json" })
  expect([program.status, JSON.parse(program.text)]).toMatchObject([404, { jsonrpc: "2.0" }])
  expect((await ask(origin, "/api/nonsense", browser)).headers["content-type"]).toContain("json")
  const { origin: bare } = await up("--no-console")
  expect((await ask(bare, "/nonsense", browser)).headers["content-type"]).toContain("json")
})

it("O27: a rebound name and other sites get nothing; a link from elsewhere opens a page", async () => {
  const { origin } = await up()
  for (const path of ["/", "/s/demo", "/openapi.json", "/api/server", "/mcp", "/nothing"]) {
    const evil = await ask(origin, path, { host: "evil.example" })
    expect([path, evil.status]).toEqual([path, 403])
  }
  const used = {
    "sec-fetch-site": "cross-site",
    "sec-fetch-mode": "no-cors",
    "sec-fetch-dest": "script",
  }
  expect((await ask(origin, "/", used)).status).toBe(403)
  const framed = { ...used, "sec-fetch-mode": "navigate", "sec-fetch-dest": "iframe" }
  expect((await ask(origin, "/", framed)).status).toBe(403)
  const opened = { ...used, "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" }
  expect((await ask(origin, "/", opened)).status).toBe(200)
})

it("O26: toolkeep link prints a link of the server that runs; --public-url is its address", async () => {
  const { origin, home } = await up("--public-url", "https://tools.example.com")
  const env = { ...process.env, TOOLKEEP_HOME: home }
  const { stdout } = await run(process.execPath, [program, "link"], { env, cwd: repositoryRoot })
  expect(stdout).toMatch(/^https:\/\/tools\.example\.com\/#in-[\w-]{20}\n$/)
  expect((await ask(origin, "/", { host: "tools.example.com" })).status).toBe(200)
  expect((await ask(origin, "/", { host: "other.example.com" })).status).toBe(403)
})

it("O26: without a server, toolkeep link says so; --no-console serves none", async () => {
  const { origin, home, signal, ended, output } = await up("--no-console")
  expect((await ask(origin, "/")).status).toBe(404)
  expect(output()).not.toContain("#in-")
  signal("SIGTERM")
  await ended
  const env = { ...process.env, TOOLKEEP_HOME: home }
  const failed = run(process.execPath, [program, "link"], { env, cwd: repositoryRoot })
  await expect(failed).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringContaining("no server runs"),
  })
})

/** A server with a terminal of its own, since keys come from one. */
async function upAtTerminal(config = "") {
  const home = mkdtempSync(join(tmpdir(), "toolkeep-key-"))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  const opened = join(home, "opened")
  // The command that opens addresses on this system, as a stand-in for a browser.
  const opener = process.platform === "darwin" ? "open" : "xdg-open"
  writeFileSync(join(home, opener), `#!/bin/sh\necho "$1" >>${opened}\n`, { mode: 0o755 })
  writeFileSync(join(home, "toolkeep.yaml"), config)
  const command = `${process.execPath} ${program} up --host memory --port 0`
  const server = spawn("script", ["-qfec", command, "/dev/null"], {
    env: { ...process.env, TOOLKEEP_HOME: home, PATH: `${home}:${process.env.PATH}` },
    cwd: home,
    stdio: ["pipe", "pipe", "inherit"],
  })
  const ended = once(server, "exit")
  onTestFinished(() => void server.kill())
  let text = ""
  server.stdout.setEncoding("utf8").on("data", (said: string) => {
    text += said
  })
  await expect.poll(() => text).toContain("Ctrl-C stops")
  const url = `http://127.0.0.1:${/127\.0\.0\.1:(\d+)/.exec(text)?.[1]}`
  const token = readFileSync(join(home, "token"), "utf8").trim()
  return {
    ...{ ended, url },
    client: createClient({ url, token }),
    press: (key: string) => void server.stdin.write(key),
    printed: () => text,
    opened: () => (existsSync(opened) ? readFileSync(opened, "utf8") : ""),
  }
}

it("O26: the key o opens a fresh link in the browser, and Ctrl-C still ends the server", async () => {
  const { press, printed, opened, url, ended } = await upAtTerminal()
  const first = /#in-([\w-]+)/.exec(printed())?.[1]
  press("o")
  await expect.poll(opened).toMatch(/^http:\/\/toolkeep\.localhost:\d+\/#in-[\w-]{20}\n$/)
  const code = new URL(opened().trim()).hash.slice("#in-".length)
  expect(code).not.toBe(first)
  expect((await createClient({ url }).request("codes.redeem", { code })).secret).toMatch(/\S{20}/)
  press("\u0003")
  expect(await ended).toEqual([0, null])
})

it("X7: a question is also asked at the server's terminal, where a key answers it, and not one that was pressed before", async () => {
  const { client, press, printed, ended } = await upAtTerminal(
    "tools:\n  hooks:\n    confirm: [file.write]\n",
  )
  const write = (path: string) =>
    client.request("calls.start", {
      ...{ session: "demo", tool: "file.write", input: { path, content: "x" } },
    })
  const times = (text: string) => printed().split(text).length - 1
  const pressUntil = (key: string, said: string) =>
    expect
      .poll(() => {
        // It counts after half a second on the screen.
        if (!printed().includes(said)) press(key)
        return printed()
      })
      .toContain(said)
  press("y")
  const allowed = write("a.txt")
  await expect.poll(printed).toContain('Session "demo" asks:')
  expect(printed()).toContain("a.txt")
  const { questions } = await client.request("questions.list", {})
  expect(questions).toMatchObject([{ tool: "file.write", session: "demo" }])
  await pressUntil("y", "toolkeep: allowed")
  expect(await allowed).toMatchObject({ envelope: { ok: true } })
  const denied = write("b.txt")
  await expect.poll(() => times('Session "demo" asks:')).toBe(2)
  await pressUntil("n", "toolkeep: denied")
  expect(await denied).toMatchObject({ envelope: { ok: false, kind: "user_denied" } })
  // The first answer counts, and the terminal says that somebody else gave it.
  const elsewhere = write("c.txt")
  await expect.poll(() => times('Session "demo" asks:')).toBe(3)
  const [open] = (await client.request("questions.list", {})).questions
  const { question = "", fingerprint } = open ?? {}
  await client.request("questions.answer", {
    ...{ question, answer: "approve", ...(fingerprint && { fingerprint }) },
  })
  expect(await elsewhere).toMatchObject({ envelope: { ok: true } })
  await expect.poll(printed).toContain("answered elsewhere")
  press("\u0003")
  expect(await ended).toEqual([0, null])
})
