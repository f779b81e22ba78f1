import { execFile } from "node:child_process"
import { once } from "node:events"
import { request } from "node:http"
import { promisify } from "node:util"
import { expect, it } from "vitest"
import { repositoryRoot } from "../../scripts/repository.ts"
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

it("O27: a rebound name and other sites get nothing; a link from elsewhere opens a page", async () => {
  const { origin } = await up()
  const evil = await ask(origin, "/", { host: "evil.example" })
  expect(evil.status).toBe(403)
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
