import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { BrowserContextOptions, Page, WebSocket } from "playwright-core"
import { type ApiClient, createClient } from "../../src/api/index.ts"
import { type CheckedAnswers, checkAnswers } from "../support/api-answers.ts"
import { openBrowser, openPage, type WatchedPage } from "../support/open-browser.ts"

/** `toolkeep up` with bubblewrap sandboxes, and a real browser. */
export interface ConsoleFixture extends AsyncDisposable {
  readonly url: string
  /** The owner's, for what agents do. */
  readonly client: ApiClient
  readonly token: string
  readonly home: string
  /** The process of the server. */
  readonly pid: number
  /** What the server has printed since it is up. */
  printed(): string
  /** A new link that signs in a browser. */
  link(): Promise<string>
  /** A page of a browser of its own. */
  browse(address: string, options?: BrowserContextOptions): Promise<WatchedPage>
  /** The same, signed in. */
  open(path?: string, options?: BrowserContextOptions): Promise<WatchedPage>
  /** Stops the server and starts it again at the same port. */
  restart(): Promise<void>
  stop(): Promise<void>
  start(): Promise<void>
}

const program = new URL("../../src/cli/main.ts", import.meta.url).pathname

/** Browsers find this machine by it, as they find a server behind a proxy. */
export const publicName = "public.example"

export async function openConsole(
  config = "",
  flags: readonly string[] = [],
  /** Null where answers are measured. */
  answers: CheckedAnswers | null = checkAnswers(),
): Promise<ConsoleFixture> {
  const home = mkdtempSync(join(tmpdir(), "toolkeep-console-"))
  // Sandboxes run as other users and walk through it.
  chmodSync(home, 0o755)
  const file = join(home, "toolkeep.yaml")
  writeFileSync(file, config)
  const browser = await openBrowser([`--host-resolver-rules=MAP ${publicName} 127.0.0.1`])
  let port = 0
  let printed = ""
  let server = await launch()

  async function launch(): Promise<{ readonly child: ChildProcess; readonly text: string }> {
    const args = [
      program,
      "up",
      "--host",
      "bubblewrap",
      "--port",
      String(port),
      "--config",
      file,
      ...flags,
    ]
    const env = { ...process.env, TOOLKEEP_HOME: home }
    const child = spawn(process.execPath, args, {
      env,
      cwd: home,
      stdio: ["ignore", "pipe", "pipe"],
    })
    const text = await untilUp(child)
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (said: string) => {
        printed += said
      })
    }
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
  const client = createClient({ url, token, ...(answers && { fetch: answers.fetch }) })
  const link = async () => {
    const { code } = await client.request("codes.create", {})
    return `http://toolkeep.localhost:${port}/#in-${code}`
  }
  const browse = (address: string, options?: BrowserContextOptions) =>
    openPage(browser, address, options, answers)
  /** Opens an address, until the page hears of questions: a call that asks before that may find nobody. */
  async function openLive(page: Page, address: string): Promise<void> {
    const live = Promise.withResolvers<void>()
    const listen = (socket: WebSocket) => {
      let isAsked = false
      socket.on("framesent", ({ payload }) => {
        isAsked ||= String(payload).includes("/api/questions/events")
      })
      socket.on("framereceived", ({ payload }) => {
        if (isAsked && String(payload).includes("event: questions")) live.resolve()
      })
    }
    page.on("websocket", listen)
    await page.goto(address)
    await live.promise
    page.off("websocket", listen)
  }

  return {
    ...{ url, client, token, home, link, start, stop },
    get pid() {
      return server.child.pid ?? 0
    },
    printed: () => printed,
    async restart() {
      await stop()
      await start()
    },
    browse,
    async open(path = "/", options = {}) {
      const opened = await browse("about:blank", options)
      const { page } = opened
      await openLive(page, await link())
      await page.getByRole("navigation").waitFor()
      if (path !== "/") await openLive(page, new URL(path, page.url()).href)
      return opened
    },
    async [Symbol.asyncDispose]() {
      const problems = (await answers?.problems()) ?? []
      await browser.close()
      await stop()
      rmSync(home, { recursive: true, force: true })
      if (problems.length > 0) throw new Error(problems.join("\n"))
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
