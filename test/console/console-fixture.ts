import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core"
import { type ApiClient, createClient } from "../../src/api/index.ts"
import { findChromium } from "../../src/tools/browser/chromium/find-chromium.ts"

/** `toolkeep up` with bubblewrap sandboxes, and a real browser. */
export interface ConsoleFixture extends AsyncDisposable {
  readonly url: string
  /** The owner's, for what agents do. */
  readonly client: ApiClient
  readonly token: string
  readonly home: string
  /** The process of the server. */
  readonly pid: number
  /** A new link that signs in a browser. */
  link(): Promise<string>
  /** A page of a browser of its own. */
  browse(address: string, options?: BrowserContextOptions): Promise<ConsolePage>
  /** The same, signed in. */
  open(path?: string, options?: BrowserContextOptions): Promise<ConsolePage>
  /** Stops the server and starts it again at the same port. */
  restart(): Promise<void>
  stop(): Promise<void>
  start(): Promise<void>
}

export interface ConsolePage {
  readonly page: Page
  /** Errors on the console, reports of the content security policy, requests that failed. */
  readonly problems: string[]
}

const program = new URL("../../src/cli/main.ts", import.meta.url).pathname

export async function openConsole(config = ""): Promise<ConsoleFixture> {
  const home = mkdtempSync(join(tmpdir(), "toolkeep-console-"))
  // Sandboxes run as other users and walk through it.
  chmodSync(home, 0o755)
  const file = join(home, "toolkeep.yaml")
  writeFileSync(file, config)
  const browser: Browser = await chromium.launch({
    executablePath: findChromium(undefined) ?? "chromium",
    args: ["--no-sandbox"],
  })
  let port = 0
  let server = await launch()

  async function launch(): Promise<{ readonly child: ChildProcess; readonly text: string }> {
    const args = [program, "up", "--host", "bubblewrap", "--port", String(port), "--config", file]
    const env = { ...process.env, TOOLKEEP_HOME: home }
    const child = spawn(process.execPath, args, {
      env,
      cwd: home,
      stdio: ["ignore", "pipe", "pipe"],
    })
    const text = await untilUp(child)
    port = Number(/127\.0\.0\.1:(\d+)/.exec(text)?.[1])
    return { child, text }
  }
  async function start(): Promise<void> {
    server = await launch()
  }
  async function stop(): Promise<void> {
    const { child } = server
    if (child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, "exit")
    child.kill("SIGTERM")
    await ended
  }
  const token = /Bearer ([\w-]+)/.exec(server.text)?.[1] ?? ""
  const url = `http://127.0.0.1:${port}`
  const client = createClient({ url, token })
  const link = async () => {
    const { code } = await client.request("codes.create", {})
    return `http://toolkeep.localhost:${port}/#in-${code}`
  }
  async function browse(address: string, options: BrowserContextOptions = {}) {
    const context = await browser.newContext(options)
    const page = await context.newPage()
    // Only what never comes fails, as in all tests.
    page.setDefaultTimeout(90_000)
    const problems: string[] = []
    page.on("console", (message) => {
      if (message.type() === "error") problems.push(message.text())
    })
    page.on("pageerror", (error) => problems.push(String(error)))
    page.on("response", (response) => {
      if (response.status() >= 400) problems.push(`${response.status()} ${response.url()}`)
    })
    await page.goto(address)
    return { page, problems }
  }

  return {
    ...{ url, client, token, home, link, start, stop },
    pid: server.child.pid ?? 0,
    async restart() {
      await stop()
      await start()
    },
    browse,
    async open(path = "/", options = {}) {
      const opened = await browse(await link(), options)
      const { page } = opened
      await page.getByRole("navigation").waitFor()
      if (path !== "/") await page.goto(new URL(path, page.url()).href)
      return opened
    },
    async [Symbol.asyncDispose]() {
      await browser.close()
      await stop()
      rmSync(home, { recursive: true, force: true })
    },
  }
}

/** What the server says when it is up; its errors when it ends before that. */
async function untilUp(child: ChildProcess): Promise<string> {
  let text = ""
  return new Promise((resolve, reject) => {
    child.stdout?.setEncoding("utf8").on("data", (said: string) => {
      text += said
      if (text.includes("Ctrl-C stops")) resolve(text)
    })
    child.stderr?.setEncoding("utf8").on("data", (said: string) => {
      text += said
    })
    child.once("exit", () => reject(new Error(`toolkeep up ended: ${text}`)))
  })
}
