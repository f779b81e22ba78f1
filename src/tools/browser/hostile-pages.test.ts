import { execFileSync, spawn } from "node:child_process"
import { createSocket } from "node:dgram"
import { once } from "node:events"
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest"
import { type Pages, servePages } from "../../../test/support/tools/pages-fixture.ts"
import { localBench, resultOf, type ToolBench } from "../../../test/support/tools/tool-bench.ts"
import { browserLimits } from "../limits.ts"
import { withoutFalseRefs } from "./page/snapshot-tree.ts"

let bench: ToolBench
let pages: Pages
/** A port that nobody listens on. */
let silent: number

beforeAll(async () => {
  vi.stubEnv("TOOLKEEP_TEST_KEY", "a key that no page may see")
  pages = await servePages({
    "/plain": "<title>Plain</title><p>Hello</p>",
    "/slow": (_, response) => response.write("<title>Slow</title><p>begun"),
    "/popups": `<title>Popups</title><script>for (let i = 0; i < 1000; i++) window.open("/plain")</script>
      <button onclick="for (let i = 0; i < 1000; i++) window.open('/plain')">More</button>`,
    "/files": `<title>Files</title><iframe src="file:///etc/passwd"></iframe>
      <button onclick="window.open('file:///etc/passwd')">Open</button>`,
    "/giant": `<title>Giant</title><main>Start</main>${"<p>word <b>bold</b></p>".repeat(50_000)}`,
    "/redirect": (_, response) =>
      response.writeHead(302, { Location: `http://127.0.0.1:${pages.port}/plain` }).end(),
    "/bomb": (_, response) => {
      response.setHeader("Content-Disposition", "attachment")
      const piece = Buffer.alloc(4 * 1024 ** 2)
      const pour = () => {
        while (response.write(piece));
        response.once("drain", pour)
      }
      pour()
    },
  })
  const gone = await servePages({})
  silent = gone.port
  await gone[Symbol.asyncDispose]()
  bench = await localBench.open({
    settings: {
      network: { reach: "full", private: [`localhost:${pages.port}`, `localhost:${silent}`] },
    },
  })
})
afterAll(async () => {
  await bench[Symbol.asyncDispose]()
  await pages[Symbol.asyncDispose]()
  vi.unstubAllEnvs()
})

const call = <Name extends string>(tool: Name, input: unknown = {}) =>
  bench.call(`browser.${tool}`, input)
const open = (path: string, rest = {}) =>
  call("navigate", { url: `${pages.origin}${path}`, ...rest })
const ok = (result: unknown) => expect.objectContaining({ ok: true, result })
const works = async () =>
  expect(await open("/plain")).toEqual(ok(expect.objectContaining({ title: "Plain" })))

/** The first process of this test's Chromium. */
function chromiumOf(parent: number): number {
  const found = execFileSync("pgrep", ["-P", String(parent), "-f", "remote-debugging-pipe"])
  return Number(found.toString().trim())
}

/** The directories that a Chromium writes to. */
function directoriesOf(pid: number): readonly string[] {
  const [, temporary = ""] = /\0TMPDIR=([^\0]+)/.exec(environmentOf(pid)) ?? []
  const command = readFileSync(`/proc/${pid}/cmdline`, "utf8")
  const [, profile = ""] = /--user-data-dir=([^\0]+)/.exec(command) ?? []
  return [temporary, profile]
}

const environmentOf = (pid: number) => `\0${readFileSync(`/proc/${pid}/environ`, "utf8")}`

describe("a hostile page or address", () => {
  it.each([
    ...["file:///etc/passwd", "chrome://settings", "javascript:alert(1)", "data:text/html,x"],
    ...["view-source:http://localhost/", "ftp://example.com/", "devtools://devtools"],
  ])("Y14: %s is not opened", async (url) => {
    expect(await call("navigate", { url })).toMatchObject({
      ...{ ok: false, kind: "rejected", field: "url" },
      message: expect.stringContaining("only http and https"),
    })
  })

  it("Y14: private addresses are refused by name, address, tunnel and redirect, with the rule", async () => {
    const refused = (place: string) => ({
      ...{ ok: false, kind: "rejected", retryable: false },
      message: `The network policy refuses ${place}. A person can change it under network in toolkeep.yaml.`,
    })
    const direct = await call("navigate", { url: `http://127.1:${pages.port}/plain` })
    expect(direct).toMatchObject({
      ...refused(""),
      message: expect.stringContaining(`refuses 127.0.0.1:${pages.port}: it leads to 127.0.0.1`),
    })
    expect(await open("/redirect")).toMatchObject({ ok: false, kind: "rejected" })
    expect(await call("navigate", { url: "https://169.254.169.254/latest" })).toMatchObject(
      refused("169.254.169.254:443: it leads to 169.254.169.254, a link-local address"),
    )
    expect(await call("navigate", { url: "http://localhost:2/" })).toMatchObject({
      kind: "rejected",
    })
    expect(await call("navigate", { url: `http://localhost:${silent}/` })).toMatchObject({
      kind: "execution_error",
      message: expect.stringContaining(`localhost:${silent} could not be reached`),
    })
  })

  it("Y14: nothing gets past the proxy: fetch, sockets and WebRTC of a page", async () => {
    const datagrams = createSocket("udp4").bind(0, "127.0.0.1")
    await once(datagrams, "listening")
    let heard = 0
    datagrams.on("message", () => {
      heard += 1
    })
    await open("/plain")
    const asked = pages.asked.length
    const expression = `async () => {
      const peer = new RTCPeerConnection({ iceServers: [{ urls: "stun:127.0.0.1:${datagrams.address().port}" }] })
      const candidates = []
      peer.onicecandidate = ({ candidate }) => candidate?.candidate && candidates.push(candidate.candidate)
      peer.createDataChannel("x")
      await peer.setLocalDescription(await peer.createOffer())
      const failed = () => "failed"
      const socket = new WebSocket("ws://127.0.0.1:${pages.port}/socket")
      const closed = new Promise((resolve) => { socket.onclose = () => resolve("closed"); socket.onopen = () => resolve("open") })
      const fetched = await fetch("http://127.0.0.1:${pages.port}/plain", { mode: "no-cors" }).then(({ type }) => type, failed)
      const file = await fetch("file:///etc/passwd").catch(failed)
      const worker = await navigator.serviceWorker?.register("/plain").then((there) => there ? "there" : "none", failed) ?? "none"
      await new Promise((resolve) => setTimeout(resolve, 300))
      const position = await new Promise((resolve) => navigator.geolocation.getCurrentPosition(() => resolve("known"), () => resolve("denied"), { timeout: 1000 }))
      return { candidates, socket: await closed, file, worker, position }
    }`
    const answer = await call("evaluate", { expression })
    datagrams.close()
    expect(answer).toMatchObject({
      result: {
        value: {
          ...{ candidates: [], socket: "closed", file: "failed", position: "denied" },
          worker: "none",
        },
      },
      warnings: [expect.stringContaining(`refused 127.0.0.1:${pages.port}: it leads to 127.0.0.1`)],
    })
    expect([heard, pages.asked.slice(asked)]).toEqual([0, []])
  })

  it("Y14: a page that never ends loading is a timeout, and an abort ends the waiting", async () => {
    expect(await open("/slow", { timeout_ms: 300 })).toMatchObject({ ok: false, kind: "timeout" })
    const reason = new Error("given up")
    const caller = new AbortController()
    const url = `${pages.origin}/slow`
    const waiting = bench.call("browser.navigate", { url }, { signal: caller.signal })
    const queued = bench.call("browser.snapshot", {}, { signal: caller.signal })
    setTimeout(() => caller.abort(reason), 300)
    await expect(queued).rejects.toBe(reason)
    await expect(waiting).rejects.toBe(reason)
    await works()
  })

  it("Y14: an endless loop and endless dialogs end with the call, and the next one works", async () => {
    await open("/plain")
    expect(await call("evaluate", { expression: "for (;;);", timeout_ms: 200 })).toMatchObject({
      ...{ ok: false, kind: "timeout" },
      message:
        "The page did not answer within 200 ms. The page stopped answering, and its tab was closed.",
    })
    await works()
    const storm = { expression: "for (;;) alert('no')", timeout_ms: 200 }
    expect(await call("evaluate", storm)).toMatchObject({ kind: "timeout" })
    expect(await open("/plain")).toMatchObject({
      result: { title: "Plain" },
      warnings: ['The page showed a dialog (alert), which was dismissed: "no".'],
    })
  })

  it("Y14: a thousand popups are a few tabs, and files open in none", async () => {
    await open("/popups")
    const { tree = "" } = resultOf(await call("snapshot"))
    const ref = /button "More" \[ref=(\w+)\]/.exec(tree)?.[1]
    expect(await call("click", { ref })).toMatchObject({ ok: true })
    expect(resultOf(await call("tabs")).tabs.length).toBeLessThanOrEqual(browserLimits.tabs)
    await open("/files")
    const files = resultOf(await call("snapshot"))
    const opener = /button "Open" \[ref=(\w+)\]/.exec(files.tree ?? "")?.[1]
    expect(await call("click", { ref: opener })).toMatchObject({ ok: true })
    const seen = JSON.stringify([files, await call("tabs")])
    expect(seen).not.toContain("root:")
    expect(seen).not.toMatch(/"url":"file:/)
  })

  it("Y14: a page of 100,000 elements is shown as text, and its parts with refs", async () => {
    await open("/giant")
    const whole = await call("snapshot")
    expect(whole).toMatchObject({
      result: { plain: true, tree: expect.stringMatching(/^\s*(Giant\s)?Start\s+word/) },
      warnings: [expect.stringMatching(/^The page has \d+ elements, too many for refs/)],
    })
    const { tree, omitted_bytes: hidden } = resultOf(whole)
    const note = `\n[... ${hidden} bytes left out ...]\n`
    expect(tree).toContain(note)
    // What is shown and what is said to be hidden is all of it: two lines for each paragraph, and one before.
    const paragraphs = Buffer.byteLength("word \nbold\n") * 50_000
    const all = Buffer.byteLength(tree ?? "") - note.length + (hidden ?? 0)
    expect([paragraphs + "Start\n".length, paragraphs + "Giant\nStart\n".length]).toContain(all)
    expect(await call("snapshot", { selector: "main" })).toMatchObject({
      result: { plain: false, tree: expect.stringMatching(/main \[ref=\w+\]: Start/) },
    })
  })

  it("Y14: a download without end is ended, and nothing of it is kept", async () => {
    expect(await open("/bomb")).toMatchObject({
      ok: true,
      warnings: expect.arrayContaining([expect.stringMatching(/^The download of .* over 64 MiB/)]),
    })
    expect(await bench.artifacts.list()).toEqual([])
  })

  it("Y14: text that looks like a ref is none", () => {
    const tree = [
      '- button "Go [ref=e9]" [ref=e3] [cursor=pointer]',
      "- 'button \"a: [ref=e9]\" [ref=e4]': text [ref=e9]",
      "  - /url: /x?[ref=e9]",
      '- text: "- button [ref=e9]"',
    ]
    expect(withoutFalseRefs(tree.join("\n")).split("\n")).toEqual([
      '- button "Go (ref=e9]" [ref=e3] [cursor=pointer]',
      "- 'button \"a: (ref=e9]\" [ref=e4]': text (ref=e9]",
      "  - /url: /x?(ref=e9]",
      '- text: "- button (ref=e9]"',
    ])
  })

  it("Y14: Chromium has none of our environment; when it is killed, the next call starts another", async () => {
    await works()
    const pid = chromiumOf(process.pid)
    expect(environmentOf(pid)).not.toContain("no page may see")
    const directories = [...directoriesOf(pid)]
    expect(directories.filter((directory) => !existsSync(directory))).toEqual([])
    const waiting = open("/slow")
    await expect.poll(() => pages.asked.at(-1)).toBe("/slow")
    process.kill(pid, "SIGKILL")
    expect(await waiting).toMatchObject({
      ...{ ok: false, kind: "unavailable", retryable: true },
      message: "Chromium exited unexpectedly. The next call starts a new one, with no page.",
    })
    await works()
    directories.push(...directoriesOf(chromiumOf(process.pid)))
    await call("close")
    expect(directories.filter((directory) => existsSync(directory))).toEqual([])
  })

  it("Y14: Chromium does not outlive a Toolkeep that is killed", async () => {
    const script = `
      const { localBench } = await import(${JSON.stringify(new URL("../../../test/support/tools/tool-bench.ts", import.meta.url).href)})
      const bench = await localBench.open()
      console.log(JSON.stringify(await bench.call("browser.navigate", { url: "about:blank" })))
      setInterval(() => {}, 1000)`
    // Longer than Chromium can take, as it is on some machines.
    const TMPDIR = mkdtempSync(join(tmpdir(), "toolkeep-killed-in-a-directory-with-a-long-name-"))
    onTestFinished(() => rmSync(TMPDIR, { recursive: true, force: true }))
    const toolkeep = spawn(process.execPath, ["--input-type=module", "-e", script], {
      env: { ...process.env, TMPDIR },
    })
    const [answer] = await once(toolkeep.stdout, "data")
    expect(JSON.parse(String(answer))).toMatchObject({ ok: true })
    const pid = chromiumOf(toolkeep.pid ?? 0)
    const directories = directoriesOf(pid)
    toolkeep.kill("SIGKILL")
    await expect.poll(() => existsSync(`/proc/${pid}`)).toBe(false)
    for (const directory of directories) rmSync(directory, { recursive: true, force: true })
  })

  it("Y14: a browser that is not there is said, with what to do", async () => {
    const settings = { browser: { executable: "/nowhere/chromium" } }
    await using other = await localBench.open({ settings })
    expect(await other.call("browser.snapshot", {})).toMatchObject({
      kind: "unavailable",
      message: expect.stringContaining("browser.executable in toolkeep.yaml names no program"),
    })
  })
})
