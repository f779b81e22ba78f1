import { execFile } from "node:child_process"
import { once } from "node:events"
import { readdirSync, readFileSync, statSync } from "node:fs"
import { type ClientRequest, type IncomingMessage, request } from "node:http"
import { join, relative } from "node:path"
import { pipeline } from "node:stream/promises"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { ask, read } from "../support/sandbox/preview-fixture.ts"
import { addAxe, violations } from "./axe.ts"
import { type ConsoleFixture, openConsole, publicName } from "./console-fixture.ts"

let fixture: ConsoleFixture
beforeAll(async () => {
  fixture = await openConsole("", ["--public-url", `http://${publicName}`])
  await run("true")
})
afterAll(() => fixture?.[Symbol.asyncDispose]())

const run = (command: string, sandbox = "default") =>
  fixture.client.request("calls.start", {
    ...{ session: "demo", tool: "shell.exec", sandbox, input: { command } },
  })

describe("the view of a sandbox", () => {
  it("X7: what a sandbox uses is drawn while its tab can be seen, and not asked for while it can't", async () => {
    const { page, problems } = await fixture.open("/b/demo/default", { bypassCSP: true })
    await page.clock.install()
    // Counted where they are made: what the browser tells of its requests comes later than what a page shows.
    await page.evaluate(() => {
      const { fetch } = globalThis
      Object.assign(globalThis, { asked: 0 })
      globalThis.fetch = (input, init) => {
        const isUsage = new URL(String(input), "http://page").pathname.endsWith("/usage")
        if (isUsage) Object.assign(globalThis, { asked: Reflect.get(globalThis, "asked") + 1 })
        return fetch(input, init)
      }
    })
    const asked = () => page.evaluate(() => Number(Reflect.get(globalThis, "asked")))
    await page.getByRole("link", { name: "Usage" }).click()
    const usage = page.getByRole("region", { name: "Usage" })
    await usage.getByText("of 2 GiB").waitFor()
    await expect.poll(() => page.clock.fastForward(2_000).then(asked)).toBeGreaterThan(2)
    await usage.getByText(/^[\d.]+ of 2$/).waitFor()
    const path = usage.locator("path").first()
    await expect.poll(() => path.getAttribute("d")).toMatch(/^M[\d.]+ [\d.]+L59 [\d.]+/)
    await addAxe(page)
    expect(await violations(page)).toEqual([])
    const setHidden = (isHidden: boolean) =>
      page.locator("html").evaluate(({ ownerDocument }, hidden) => {
        Object.defineProperty(ownerDocument, "hidden", { configurable: true, value: hidden })
        ownerDocument.dispatchEvent(new Event("visibilitychange"))
      }, isHidden)
    await setHidden(true)
    const before = await asked()
    await page.clock.fastForward(60_000)
    expect(await asked()).toBe(before)
    await setHidden(false)
    await expect.poll(asked).toBeGreaterThan(before)
    await page.getByRole("link", { name: "Files" }).click()
    await page.getByRole("region", { name: "Files" }).waitFor()
    const left = await asked()
    await page.clock.fastForward(60_000)
    expect(await asked()).toBe(left)
    expect(problems).toEqual([])
  })

  it("O24, C18.restrict: the network log and the history have addresses, and grow by themselves", async () => {
    const network = { kind: "allow-list", domains: ["allowed.example"] }
    await fixture.client.request("calls.start", {
      ...{ session: "demo", tool: "sandbox.create", input: { sandbox: "walled", network } },
    })
    const { page, problems } = await fixture.open("/b/demo/walled?tab=network")
    const log = page.getByRole("region", { name: "Network" })
    await log.getByText("Nothing that it reached or was refused is recorded.").waitFor()
    await run("curl -s http://refused.example/; true", "walled")
    const row = log.getByRole("row", { name: "refused.example:80" })
    await row.getByText("refused", { exact: true }).waitFor()
    await row.getByText("nothing on the allow-list matches").waitFor()
    await page.getByRole("link", { name: "History" }).click()
    const history = page.getByRole("region", { name: "History" })
    await history.getByText("Created from host").waitFor()
    await page.getByRole("button", { name: "Sleep" }).click()
    await history.getByText("Slept").waitFor()
    await page.reload()
    await history.getByRole("link", { name: "shell.exec" }).click()
    await page.waitForURL(/\/s\/demo/)
    await page.getByRole("complementary", { name: "Receipt" }).waitFor()
    expect(problems).toEqual([])
  })

  it("X7: the names in one directory are not shown in another one, however late they come", async () => {
    await run("mkdir -p one two; touch one/of-one two/of-two")
    const { page, problems } = await fixture.open("/b/demo/default")
    const files = page.getByRole("region", { name: "Files" })
    const isOne = (asked: { url(): string }) => new URL(asked.url()).search === "?path=one"
    const release = Promise.withResolvers<void>()
    await page.route(
      (url) => url.search === "?path=one",
      async (route) => {
        await release.promise
        await route.continue().catch(() => {})
      },
    )
    const over = Promise.race([
      page.waitForEvent("requestfailed", isOne),
      page.waitForEvent("requestfinished", isOne),
    ])
    await files.getByRole("link", { name: "one" }).click()
    await page.waitForURL("**path=one")
    await page.goBack()
    await files.getByRole("link", { name: "two" }).click()
    await files.getByRole("link", { name: "of-two" }).waitFor()
    release.resolve()
    await over
    await page.evaluate("new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn)))")
    expect(await files.getByText("of-one").count()).toBe(0)
    expect(await files.getByRole("link", { name: "of-two" }).count()).toBe(1)
    expect(problems).toEqual([])
  })

  it("C8, X7: a sandbox sleeps, wakes and gives files to another one, and what it does is shown", async () => {
    await run("echo given >gift; sleep 0.1")
    const { page, problems } = await fixture.open("/b/demo/default")
    const statusOf = async (name: string) => {
      const { sandboxes } = await fixture.client.request("sandboxes.list", { session: "demo" })
      return sandboxes.find(({ sandbox }) => sandbox === name)?.status
    }
    await page.getByRole("button", { name: "Sleep" }).click()
    await page.locator(".facts").getByText("sleeping").waitFor()
    expect(await statusOf("default")).toBe("sleeping")
    await page.getByRole("button", { name: "Wake" }).click()
    await page.locator(".facts").getByText("running").waitFor()
    expect(await statusOf("default")).toBe("running")
    await fixture.client.request("sandboxes.create", { session: "demo", sandbox: "other" })
    await page.reload()
    await page.getByRole("button", { name: "Transfer…" }).click()
    await page.getByLabel("File or directory").fill("gift")
    await page.getByRole("combobox").selectOption("other")
    await page.getByRole("button", { name: "Copy", exact: true }).click()
    await page.getByText("6 bytes are in other now.").waitFor()
    const { envelope } = await run("cat gift", "other")
    expect(envelope).toMatchObject({ result: { stdout: "given\n" } })
    await page.getByRole("button", { name: "Close" }).click()
    await page.getByRole("button", { name: "Destroy" }).click()
    const dialog = page.getByRole("dialog", { name: "Destroy default?" })
    await dialog.getByRole("button", { name: "Destroy" }).click()
    await page.waitForURL(/\/s\/demo$/)
    expect(await statusOf("default")).toBeUndefined()
    await run("true")
    expect(problems).toEqual([])
  })

  it("O24, O27: what a background process writes is shown as it goes on, and it is killed", async () => {
    const command =
      "echo begun; until [ -e go ]; do sleep 0.05; done; echo \\<went on\\>; sleep 8209"
    await fixture.client.request("calls.start", {
      ...{ session: "demo", tool: "process.start", input: { command } },
    })
    const { page, problems } = await fixture.open("/b/demo/default?tab=processes")
    const row = page.getByRole("row", { name: "echo begun" })
    await row.getByRole("button", { name: "Output" }).click()
    const output = row.locator("pre")
    await output.getByText("begun").waitFor()
    await run("touch go")
    await output.getByText("<went on>").waitFor()
    await row.getByRole("button", { name: "Kill" }).click()
    await page.getByRole("dialog").getByRole("button", { name: "Kill" }).click()
    await page.getByRole("cell", { name: "killed" }).waitFor()
    expect(problems).toEqual([])
  })
})

describe("an artifact that is a page", () => {
  /** Each says what it could do; the text stays as it was where nothing ran. */
  const attacks = `
    const said = []
    const attack = (name, act) => { try { said.push(name + act()) } catch {} }
    attack("token ", () => localStorage.getItem("toolkeep-token"))
    attack("parent ", () => parent.document.title)
    attack("parent's token ", () => parent.localStorage.getItem("toolkeep-token"))
    attack("top ", () => { top.location = "about:blank" })
    attack("api ", () => { fetch("http://127.0.0.1:" + location.port + "/api/sessions") })
    attack("message ", () => parent.postMessage("hello", "*"))
    document.getElementById("said").textContent = "script ran: " + said.join(", ")`
  const html = `<!doctype html><title>Report</title><p id="said">no script ran</p><script>${attacks}</script>
    <img src="x" onerror="document.getElementById('said').textContent = 'handler ran'">
    <meta http-equiv="refresh" content="0; url=http://toolkeep.localhost/">
    <form action="http://toolkeep.localhost/api/sessions"><button>send</button></form>`
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 90 20"><text id="said" y="15">no script ran</text>
    <script>${attacks}</script></svg>`

  const textOf = async (asked: ClientRequest) => {
    const [response]: IncomingMessage[] = await once(asked.end(), "response")
    const pieces: Buffer[] = (await response?.toArray()) ?? []
    return Buffer.concat(pieces).toString()
  }
  const share = async (filename: string, content: string) => {
    const { envelope } = await fixture.client.request("calls.start", {
      ...{ session: "pages", tool: "artifact.share", input: { filename, content } },
    })
    return String(Object(envelope).result.artifact.id)
  }

  it("C18, X4: is shown on an origin of its own where nothing in it runs, and reaches neither the console nor the API", async () => {
    await share("report.html", html)
    await share("drawing.svg", svg)
    const { page } = await fixture.open("/s/pages")
    const asked: string[] = []
    page.on("request", (request) => {
      if (request.frame() !== page.mainFrame()) asked.push(request.url())
    })
    for (const name of ["report.html", "drawing.svg"]) {
      await page.getByRole("button", { name: `Show ${name}` }).click()
      const frame = page.frameLocator(`iframe[title="${name}"]`)
      await frame.getByText("no script ran").waitFor()
      expect(await page.locator(`iframe[title="${name}"]`).getAttribute("sandbox")).toBe("")
    }
    const origins = page.frames().map((frame) => new URL(frame.url()).host)
    const own = /^[0-9a-f]{32}\.artifact\.localhost:\d+$/
    expect(origins.slice(1)).toEqual([expect.stringMatching(own), expect.stringMatching(own)])
    expect(new Set(origins).size).toBe(3)
    // Each frame asked for its artifact and for nothing else.
    expect(asked.filter((url) => !own.test(new URL(url).host))).toEqual([])
    expect(new URL(page.url()).pathname).toBe("/s/pages")
    expect(await page.title()).toContain("Toolkeep")
  })

  it("C18, O26: is shown through --public-url too, where its policy keeps it from the console's origin", async () => {
    await share("public.html", html)
    await share("public.svg", svg)
    const link = new URL(await fixture.link())
    link.hostname = publicName
    const { page } = await fixture.browse(link.href)
    await page.getByRole("navigation").waitFor()
    await page.goto(new URL("/s/pages", link).href)
    const asked: string[] = []
    page.on("request", (sent) => {
      if (sent.frame() !== page.mainFrame()) asked.push(sent.url())
    })
    for (const name of ["public.html", "public.svg"]) {
      await page.getByRole("button", { name: `Show ${name}` }).click()
      await page.frameLocator(`iframe[title="${name}"]`).getByText("no script ran").waitFor()
    }
    const folders = () => asked.map((url) => new URL(url).pathname.split("/")[1])
    // The browser tells of its requests later than the page shows their answers.
    await expect.poll(() => new Set(folders())).toEqual(new Set(["artifacts"]))
    // Not by the frame alone: whoever opens such an address by itself has an opaque origin too.
    const artifact = await share("again.html", html)
    const headers = { Authorization: `Bearer ${fixture.token}`, Host: link.host }
    const at = { host: "127.0.0.1", port: link.port }
    const path = `/api/sessions/pages/artifacts/${artifact}/pages`
    const answer = await textOf(request({ ...at, path, headers, method: "POST" }))
    const { url }: { url: string } = JSON.parse(answer)
    const byScript = { Host: link.host, "Sec-Fetch-Dest": "empty" }
    expect(await textOf(request({ ...at, path: url, headers: byScript }))).toContain("works once")
    await page.goto(new URL(url, link).href)
    await page.getByText("no script ran").waitFor()
    expect(await page.evaluate(() => Object(globalThis).origin)).toBe("null")
    expect((await page.reload())?.status()).toBe(404)
  })

  it("C18: has an address that works once, in a frame only, and is answered with a policy that holds in any frame", async () => {
    const artifact = await share("once.html", html)
    const { client } = fixture
    const show = () => client.request("artifacts.show", { session: "pages", artifact })
    const ask = async (address: URL, headers: Readonly<Record<string, string>> = {}) => {
      const at = { host: "127.0.0.1", port: address.port, path: address.pathname }
      const asked = request({ ...at, headers: { Host: address.host, ...headers } }).end()
      const [response]: IncomingMessage[] = await once(asked, "response")
      const pieces: Buffer[] = (await response?.toArray()) ?? []
      const text = Buffer.concat(pieces).toString()
      return {
        status: response?.statusCode,
        policy: response?.headers["content-security-policy"],
        text,
      }
    }
    const address = new URL((await show()).url)
    const other = new URL((await show()).url)
    for (const dest of ["document", "script", "image", "empty"]) {
      expect((await ask(address, { "Sec-Fetch-Dest": dest })).status).toBe(404)
    }
    const shown = await ask(address, { "Sec-Fetch-Dest": "iframe" })
    expect(shown).toMatchObject({ status: 200, text: html })
    expect(shown.policy).toMatch(/^sandbox; default-src 'none';/)
    expect(shown.policy).toContain("frame-ancestors http://toolkeep.localhost:")
    expect((await ask(address)).status).toBe(404)
    const elsewhere = new URL(
      other.pathname,
      `http://${"0".repeat(32)}.artifact.localhost:${other.port}`,
    )
    expect((await ask(elsewhere)).status).toBe(404)
    expect((await ask(other)).status).toBe(404)
    const authorization = `Bearer ${fixture.token}`
    for (const path of ["/", "/api/sessions", "/mcp", "/openapi.json"]) {
      const { status, text } = await ask(new URL(path, address), { authorization })
      expect([status, text]).toEqual([404, expect.stringContaining("works once")])
    }
    const plain = await share("notes.txt", "text")
    await expect(
      client.request("artifacts.show", { session: "pages", artifact: plain }),
    ).rejects.toMatchObject({ kind: "invalid_args" })
  })
})

describe("what is sent to a sandbox", () => {
  const gigabyte = 1024 ** 3
  const addressOf = (sandbox: string, path: string) =>
    `${fixture.url}/api/sessions/demo/sandboxes/${sandbox}/file?path=${path}`
  const headers = () => ({ Authorization: `Bearer ${fixture.token}` })
  const upload = (sandbox: string, path: string, bytes: number) =>
    ask(addressOf(sandbox, path), {
      ...{ method: "PUT", headers: { ...headers(), "Content-Length": String(bytes) } },
    })
  const piece = Buffer.alloc(1024 ** 2)
  function* zeros(bytes: number) {
    for (let left = bytes; left > 0; left -= piece.length) yield piece.subarray(0, left)
  }

  it("F20, O4: 1 GB goes in as a stream, and the server's memory stays bounded", async () => {
    const status = () => readFileSync(`/proc/${fixture.pid}/status`, "utf8")
    const most = () => Number(/^VmHWM:\s+(\d+) kB/m.exec(status())?.[1]) * 1024
    const before = most()
    const sent = upload("large", "zeros", gigabyte)
    const answered = read(sent)
    await pipeline(zeros(gigabyte), sent)
    expect(await answered).toMatchObject({ status: 200, text: `{"bytes":${gigabyte}}` })
    expect(most() - before).toBeLessThan(gigabyte / 4)
    const { envelope } = await run("stat -c %s zeros", "large")
    expect(envelope).toMatchObject({ result: { stdout: `${gigabyte}\n` } })
    await fixture.client.request("sandboxes.destroy", { session: "demo", sandbox: "large" })
  }, 600_000)

  it("F20, O30: what is larger than a limit is refused in one sentence, before or while it comes", async () => {
    const large = upload("default", "large", 3 * gigabyte)
    large.flushHeaders()
    const refused = await read(large)
    expect(refused.status).toBe(400)
    expect(JSON.parse(refused.text)).toMatchObject({ message: "The file is larger than 2 GiB." })
    await fixture.client.request("calls.start", {
      ...{ session: "demo", tool: "sandbox.create" },
      input: { sandbox: "small", limits: { disk_bytes: 16 * 1024 ** 2 } },
    })
    const sent = upload("small", "zeros", 64 * 1024 ** 2)
    const answered = read(sent)
    await Promise.allSettled([pipeline(zeros(64 * 1024 ** 2), sent)])
    const full = await answered
    expect(full.status).toBeGreaterThanOrEqual(400)
    expect(JSON.parse(full.text).message).toMatch(/^.*(no space is left|16 MiB).*\.$/)
    expect(await run("ls", "small")).toMatchObject({ envelope: { result: { stdout: "" } } })
  })
})

it("C18: tokens, codes and tickets are in no address, Referer, log, record or export", async () => {
  const link = await fixture.link()
  const secrets = new Map([
    ["the owner's token", fixture.token],
    ["the code", new URL(link).hash.replace("#in-", "")],
  ])
  const { page } = await fixture.browse(link)
  await page.getByRole("navigation").waitFor()
  const token = await page.evaluate(() => localStorage.getItem("toolkeep-token"))
  secrets.set("the device's token", String(token))
  const asked: Promise<{ readonly url: string; readonly referrer: string | undefined }>[] = []
  page.on("request", (one) => {
    const seen = one.allHeaders().then(({ referer }) => ({ url: one.url(), referrer: referer }))
    asked.push(seen)
  })
  const answerOf = (path: string) =>
    page.waitForResponse((one) => new URL(one.url()).pathname.endsWith(path))

  const program =
    "import http.server as h\nclass H(h.BaseHTTPRequestHandler):\n def do_GET(s):\n  print(s.path, s.headers, flush=True); s.send_response(200); s.end_headers(); s.wfile.write(b'inside')\nh.HTTPServer(('127.0.0.1', 8010), H).serve_forever()"
  const started = await fixture.client.request("calls.start", {
    ...{ session: "leaks", tool: "process.start" },
    input: { command: `python3 -c "${program}"` },
  })
  await page.goto(new URL("/b/leaks/default?tab=preview", page.url()).href)
  await page.getByLabel("Port").fill("8010")
  await page.getByRole("button", { name: "Show" }).click()
  await page.frameLocator("iframe.preview").getByText("inside").waitFor()
  const terminal = answerOf("/terminals")
  await page.getByRole("link", { name: "Terminal" }).click()
  secrets.set("the terminal's ticket", (await (await terminal).json()).ticket)
  await page.getByText("A shell in this sandbox").waitFor()
  await fixture.client.request("calls.start", {
    ...{ session: "leaks", tool: "artifact.share" },
    input: { filename: "page.html", content: "<p>shown" },
  })
  await page.goto(new URL("/s/leaks", page.url()).href)
  const shown = answerOf("/pages")
  await page.getByRole("button", { name: "Show page.html" }).click()
  const { url: artifact } = await (await shown).json()
  secrets.set("the artifact's ticket", new URL(artifact).pathname.slice(1))
  await page.frameLocator("iframe").getByText("shown").waitFor()

  const requests = await Promise.all(asked)
  expect(requests.filter(({ referrer = "" }) => referrer !== "")).toEqual([])
  const process = String(Object(started.envelope).result.id)
  const output = async () => {
    const place = { session: "leaks", sandbox: "default", process }
    return (await fixture.client.request("processes.output", place)).text
  }
  await expect.poll(output).toContain("Host:")
  const inside = await output()
  const exported = await promisify(execFile)(
    globalThis.process.execPath,
    [new URL("../../src/cli/main.ts", import.meta.url).pathname, "sessions", "export", "leaks"],
    { env: { ...globalThis.process.env, TOOLKEEP_HOME: fixture.home } },
  )
  expect(exported.stdout).toContain("sandbox.browse")
  // Where programs of the same user find the token, and nobody else may look.
  const own = ["token", "server.json"]
  for (const name of own) expect(statSync(join(fixture.home, name)).mode & 0o777).toBe(0o600)
  const places = new Map([
    [
      "addresses",
      requests
        .map(({ url }) => url)
        .filter((url) => url !== artifact)
        .join("\n"),
    ],
    ["what a server inside was sent", inside],
    ["the log", fixture.printed()],
    ["an export", exported.stdout],
    ...filesOf(fixture.home).filter(([file]) => !own.includes(file)),
  ])
  const leaks = [...places].flatMap(([place, text]) =>
    [...secrets]
      .filter(([, secret]) => text.includes(secret))
      .map(([what]) => `${what} in ${place}`),
  )
  expect([...secrets.values()].every((secret) => secret.length >= 16)).toBe(true)
  expect(leaks).toEqual([])
})

/** Every file below a directory, by its path there. */
function filesOf(directory: string): readonly (readonly [string, string])[] {
  const entries = readdirSync(directory, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => {
      const file = join(parentPath, name)
      return [relative(directory, file), readFileSync(file, "latin1")] as const
    })
}
