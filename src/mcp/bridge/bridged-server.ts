import type { ServerSpec } from "../../config/index.ts"
import { type CallContext, limits, ToolFailure } from "../../contract/index.ts"
import type { Secrets } from "../../kit/index.ts"
import type { SourceParts } from "../../session/index.ts"
import { cleanText } from "./config/clean-text.ts"
import { serverSecrets } from "./config/server-secrets.ts"
import type { ListedTool } from "./connection/read-tool-list.ts"
import { connectServer, type ServerConnection } from "./connection/server-connection.ts"
import type { Logins } from "./oauth/logins.ts"
import type { Approvals } from "./tools/approvals.ts"
import { bridgedResult } from "./tools/bridged-result.ts"
import type { ToolDoor } from "./tools/bridged-tool.ts"
import { callFailure } from "./tools/call-failure.ts"
import type { ServerState, ServerStatus } from "./tools/server-status.ts"
import { ServerTools } from "./tools/server-tools.ts"

export interface BridgedServerParts extends SourceParts {
  readonly approvals: Approvals
  readonly logins: Logins
  readonly environment: NodeJS.ProcessEnv
}

/** One server from its start to its end: it crashes alone, comes back, and its tools follow it. */
export class BridgedServer {
  readonly spec: ServerSpec
  readonly #parts: BridgedServerParts
  readonly #tools: ServerTools
  /** What no message of this server may hold. */
  readonly #secrets: Secrets
  #state: ServerState = { kind: "idle" }
  #starting: Promise<void> | null = null
  #connection: ServerConnection | null = null
  #ending = new AbortController()
  #readyAtMs = 0
  #crashes = 0
  #cancelRestart = () => {}
  #reading: Promise<void> = Promise.resolve()
  #isReadingAgain = false
  /** The login that it was last started with. */
  #login: string | null = null

  constructor(spec: ServerSpec, parts: BridgedServerParts) {
    this.spec = spec
    this.#parts = parts
    const { session, approvals, environment } = parts
    this.#secrets = serverSecrets(spec, environment)
    const whyNotReady = () => this.whyNotReady()
    const run: ToolDoor["run"] = (listed, input, context) => this.#run(listed, input, context)
    this.#tools = new ServerTools({ spec, session, approvals, run, whyNotReady })
  }

  get state(): ServerState {
    return this.#state
  }

  status(): ServerStatus {
    const { problem, statuses: tools } = this.#tools
    return { server: this.spec.name, state: this.#state, problem, tools }
  }

  /** Resolves when it is ready, or known not to be. One that crashed has to wait for its next start. */
  async prepare(): Promise<void> {
    const state = this.#state.kind
    if (state === "idle" || (state === "needs login" && (await this.#hasNewLogin()))) this.#start()
    await this.#starting
  }

  async #hasNewLogin(): Promise<boolean> {
    // One that can't be read is found again at the start, which says why.
    const login = await this.#readLogin().catch(() => undefined)
    return login !== this.#login && this.#state.kind === "needs login"
  }

  async #readLogin(): Promise<string | null> {
    const { spec } = this
    return spec.kind === "http" ? ((await this.#parts.logins.read(spec))?.id ?? null) : null
  }

  /** Looks again at what somebody may have approved meanwhile. */
  async reconsider(): Promise<void> {
    if (this.#state.kind === "ready") await this.#tools.reconsider()
  }

  /** Makes its tools, or one of them, those that were seen; resolves with their names. */
  approve(tool?: string): Promise<readonly string[]> {
    return this.#tools.approve(tool)
  }

  async close(): Promise<void> {
    this.#state = { kind: "closed" }
    this.#cancelRestart()
    this.#ending.abort(new Error("The session is closed."))
    this.#tools.close()
    const connection = this.#connection
    this.#connection = null
    await connection?.close().catch(() => {})
    await this.#starting
  }

  #start(): void {
    this.#state = { kind: "starting" }
    this.#starting = this.#bringUp()
      .catch((error: unknown) => this.#fail(error))
      .finally(() => {
        this.#starting = null
      })
  }

  async #bringUp(): Promise<void> {
    const { session, environment, clock, logins } = this.#parts
    this.#login = await this.#readLogin()
    const late = new AbortController()
    const cancel = clock.after(limits.bridge.startMs, () => late.abort(tooSlow()))
    const signal = AbortSignal.any([late.signal, this.#ending.signal])
    let connection: ServerConnection | null = null
    const ended = Promise.withResolvers<never>()
    ended.promise.catch(() => {})
    const onEnd = () => {
      ended.reject(new Error(connection?.whyEnded() ?? "It closed the connection."))
      this.#onEnd(connection)
    }
    try {
      const onListChanged = () => this.#readAgain()
      connection = await untilAborted(
        connectServer(
          this.spec,
          { session, environment, logins, secrets: this.#secrets, onListChanged, onEnd },
          signal,
        ),
        signal,
      )
      const listed = await Promise.race([
        untilAborted(connection.list(signal), signal),
        ended.promise,
      ])
      await this.#tools.follow(listed)
      signal.throwIfAborted()
      this.#connection = connection
      this.#readyAtMs = clock.now()
      this.#state = { kind: "ready" }
      if (connection.whyEnded() !== null) this.#onEnd(connection)
    } catch (error) {
      await connection?.close().catch(() => {})
      throw error
    } finally {
      cancel()
    }
  }

  #onEnd(connection: ServerConnection | null): void {
    if (connection === null || this.#connection !== connection) return
    this.#connection = null
    this.#crash(connection.whyEnded() ?? "It closed the connection.")
  }

  async #fail(error: unknown): Promise<void> {
    const wanted = await this.#wantedLogin(error)
    if (wanted) this.#awaitLogin(wanted.login.message)
    else this.#crash(error instanceof Error ? error.message : String(error))
  }

  async #wantedLogin(error: unknown) {
    const { spec } = this
    if (spec.kind !== "http") return null
    const { wantedLogin } = await import("./oauth/wanted-login.ts")
    // What can't be written down now is asked for again the next time.
    return wantedLogin(error, spec, this.#parts.logins).catch(() => null)
  }

  /** Nothing is tried again before somebody has logged in. */
  #awaitLogin(why: string): void {
    if (this.#state.kind === "closed") return
    const connection = this.#connection
    this.#connection = null
    this.#state = { kind: "needs login", why }
    connection?.close().catch(() => {})
  }

  /** The first start again comes soon; one that crashes each time is left alone for longer and longer. */
  #crash(why: string): void {
    if (this.#state.kind === "closed") return
    const { clock } = this.#parts
    const { restartMs, restartMsMost, steadyMs } = limits.bridge
    const wasSteady = this.#state.kind === "ready" && clock.now() - this.#readyAtMs > steadyMs
    this.#crashes = wasSteady ? 1 : this.#crashes + 1
    const waitMs = Math.min(restartMsMost, restartMs * 2 ** (this.#crashes - 1))
    const said = sentence(this.#secrets.hide(why))
    this.#state = { kind: "crashed", why: said, restartAtMs: clock.now() + waitMs }
    this.#cancelRestart = clock.after(waitMs, () => this.#start(), "idle")
  }

  /** Changes that come while one is read are read once, after it and a little later. */
  #readAgain(): void {
    if (this.#isReadingAgain) return
    this.#isReadingAgain = true
    const pause = new Promise<void>((resolve) => {
      this.#parts.clock.after(limits.bridge.listEveryMs, resolve, "idle")
    })
    this.#reading = Promise.all([this.#reading, pause]).then(async () => {
      this.#isReadingAgain = false
      const connection = this.#connection
      if (!connection) return
      // A list that can't be read changes nothing.
      const listed = await connection.list(this.#ending.signal).catch(() => null)
      if (listed && this.#connection === connection)
        await this.#tools.follow(listed).catch(() => {})
    })
  }

  /** Why its tools can't run now, as a sentence; null when they can. */
  whyNotReady(): string | null {
    const server = `The MCP server ${JSON.stringify(this.spec.name)}`
    const state = this.#state
    switch (state.kind) {
      case "ready":
        return null
      case "idle":
      case "starting":
        return `${server} is starting.`
      case "crashed": {
        const seconds = Math.max(1, Math.ceil((state.restartAtMs - this.#parts.clock.now()) / 1000))
        return `${server} does not run: ${state.why} It is started again in ${seconds} s.`
      }
      case "needs login":
        return `${server} is not available: ${state.why}`
      case "closed":
        return `${server} was closed with its session.`
      default:
        return state satisfies never
    }
  }

  async #run(listed: ListedTool, input: never, context: CallContext): Promise<unknown> {
    const connection = this.#connection
    if (!connection) {
      throw new ToolFailure({ kind: "unavailable", message: this.whyNotReady() ?? "It is gone." })
    }
    const { signal, output } = context
    const answer = await connection
      .call({
        tool: listed.name,
        inputSchema: (listed.inputSchema ?? { type: "object" }) as Record<string, unknown>,
        input,
        signal,
        onProgress: (said) => {
          const bytes = encoder.encode(`${this.#secrets.hide(said)}\n`)
          output({ stream: "stdout", bytes })
        },
      })
      .catch(async (error: unknown) => {
        const wanted = signal.aborted ? null : await this.#wantedLogin(error)
        const isNow = this.#connection === connection
        if (wanted?.isForAll && isNow) this.#awaitLogin(wanted.login.message)
        const login = wanted?.login.message ?? null
        const why = connection.whyEnded()
        const hide = (text: string) => this.#secrets.hide(text)
        throw callFailure(error, { server: this.spec.name, why, login, signal, hide })
      })
    const { artifacts } = this.#parts.session
    const { name: server } = this.spec
    const hide = (text: string) => this.#secrets.hide(text)
    return bridgedResult(answer, { server, tool: listed.name, artifacts, hide })
  }
}

const encoder = new TextEncoder()

function tooSlow(): Error {
  return new Error(`It did not list its tools within ${limits.bridge.startMs / 1000} s.`)
}

function sentence(reason: string): string {
  const short = cleanText(reason, 500).replaceAll(/\s+/g, " ")
  return /[.!?]$/.test(short) ? short : `${short}.`
}

/** Whoever does not listen to the signal is left behind. */
function untilAborted<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason)
    if (signal.aborted) abort()
    signal.addEventListener("abort", abort, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort))
  })
}
