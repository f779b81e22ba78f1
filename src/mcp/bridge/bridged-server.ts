import type { ServerSpec } from "../../config/index.ts"
import { type CallContext, ToolFailure } from "../../contract/index.ts"
import { createDeadline, errorText, type Secrets, withAbort } from "../../kit/index.ts"
import type { SourceDeps } from "../../session/index.ts"
import { bridgeLimits } from "../limits.ts"
import { cleanSentence } from "./connection/clean-text.ts"
import { serverSecrets } from "./connection/fill-in-variables.ts"
import type { ListedTool } from "./connection/read-tool-list.ts"
import { connectServer, type ServerConnection } from "./connection/server-connection.ts"
import type { Logins } from "./oauth/logins.ts"
import type { Approvals } from "./tools/approvals.ts"
import { bridgedResult, callFailure } from "./tools/bridged-result.ts"
import { ServerTools, type ToolStatus } from "./tools/server-tools.ts"

/** The state of a bridged server, for people. */
export interface ServerStatus {
  readonly server: string
  readonly state: ServerState
  /** What was left out of its list, as a sentence. */
  readonly problem: string | null
  readonly tools: readonly ToolStatus[]
}

export type ServerState =
  | { readonly kind: "idle" }
  | { readonly kind: "starting" }
  | { readonly kind: "ready" }
  | { readonly kind: "crashed"; readonly why: string; readonly restartAtMs: number }
  /** A person has to log in, or to log in again. */
  | { readonly kind: "needs login"; readonly why: string }
  | { readonly kind: "closed" }

export interface BridgedServerDeps extends SourceDeps {
  readonly approvals: Approvals
  readonly logins: Logins
  readonly environment: NodeJS.ProcessEnv
}

const closedConnection = "It closed the connection."

/** One server in a session: it is restarted when it crashes, and its tools follow its list. */
export class BridgedServer {
  readonly spec: ServerSpec
  readonly #deps: BridgedServerDeps
  readonly #tools: ServerTools
  readonly #secrets: Secrets
  #state: ServerState = { kind: "idle" }
  #starting: Promise<void> | null = null
  #connection: ServerConnection | null = null
  readonly #ending = new AbortController()
  #readyAtMs = 0
  #crashes = 0
  #cancelRestart = () => {}
  #reading: Promise<void> = Promise.resolve()
  #isReadingAgain = false
  /** The login that it was last started with. */
  #login: string | null = null

  constructor(spec: ServerSpec, deps: BridgedServerDeps) {
    this.spec = spec
    this.#deps = deps
    this.#secrets = serverSecrets(spec, deps.environment)
    const { session, approvals } = deps
    this.#tools = new ServerTools({
      ...{ spec, session, approvals },
      run: (listed, input, context) => this.#run(listed, input, context),
      whyNotReady: () => this.whyNotReady(),
    })
  }

  status(): ServerStatus {
    const { problem, statuses: tools } = this.#tools
    return { server: this.spec.name, state: this.#state, problem, tools }
  }

  /** Resolves when it is ready, or known not to be. A crashed one has to wait for its next start. */
  async prepare(): Promise<void> {
    const state = this.#state.kind
    if (state === "idle" || (state === "needs login" && (await this.#hasNewLogin()))) this.#start()
    await this.#starting
  }

  async #hasNewLogin(): Promise<boolean> {
    // A login that can't be read is read again at the start, which says why.
    const login = await this.#readLogin().catch(() => undefined)
    return login !== this.#login && this.#state.kind === "needs login"
  }

  async #readLogin(): Promise<string | null> {
    const { spec } = this
    return spec.kind === "http" ? ((await this.#deps.logins.read(spec))?.id ?? null) : null
  }

  /** Checks again whether somebody has approved what is held back. */
  async reconsider(): Promise<void> {
    if (this.#state.kind === "ready") await this.#tools.reconsider()
  }

  /** Approves the present definitions of its tools, or of one; resolves with their names. */
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
    const { clock } = this.#deps
    this.#login = await this.#readLogin()
    const ending = this.#ending.signal
    using deadline = createDeadline(bridgeLimits.startMs, {
      ...{ signal: ending, reason: tooSlow, clock },
    })
    const { signal } = deadline
    let connection: ServerConnection | null = null
    const ended = Promise.withResolvers<never>()
    ended.promise.catch(() => {})
    const onEnd = () => {
      ended.reject(new Error(connection?.whyEnded() ?? closedConnection))
      this.#onEnd(connection)
    }
    try {
      connection = await withAbort(this.#connect(onEnd, signal), signal)
      const listing = withAbort(connection.list(signal), signal)
      await this.#tools.follow(await Promise.race([listing, ended.promise]))
      signal.throwIfAborted()
      this.#connection = connection
      this.#readyAtMs = clock.now()
      this.#state = { kind: "ready" }
      if (connection.whyEnded() !== null) this.#onEnd(connection)
    } catch (error) {
      await connection?.close().catch(() => {})
      throw error
    }
  }

  async #connect(onEnd: () => void, signal: AbortSignal): Promise<ServerConnection> {
    const { spec } = this
    const { session, environment, logins } = this.#deps
    const onListChanged = () => this.#readAgain()
    const options = { session, environment, onListChanged, onEnd }
    if (spec.kind !== "http") return connectServer(spec, options, signal)
    const { sessionAuth } = await import("./oauth/session-auth.ts")
    const auth = sessionAuth(spec, { logins, environment, secrets: this.#secrets })
    return connectServer(spec, { ...options, auth }, signal)
  }

  #onEnd(connection: ServerConnection | null): void {
    if (connection === null || this.#connection !== connection) return
    this.#connection = null
    this.#crash(connection.whyEnded() ?? closedConnection)
  }

  async #fail(error: unknown): Promise<void> {
    const wanted = await this.#wantedLogin(error)
    if (wanted) this.#awaitLogin(wanted.login.message)
    else this.#crash(errorText(error))
  }

  async #wantedLogin(error: unknown) {
    const { spec } = this
    if (spec.kind !== "http") return null
    const { wantedLogin } = await import("./oauth/session-auth.ts")
    // What can't be written now is asked for again the next time.
    return wantedLogin(error, spec, this.#deps.logins).catch(() => null)
  }

  /** Nothing is tried again before somebody has logged in. */
  #awaitLogin(why: string): void {
    if (this.#state.kind === "closed") return
    const connection = this.#connection
    this.#connection = null
    this.#state = { kind: "needs login", why }
    connection?.close().catch(() => {})
  }

  /** The first restart comes soon; the wait doubles with each crash. */
  #crash(why: string): void {
    if (this.#state.kind === "closed") return
    const { clock } = this.#deps
    const { restartMs, restartMsMost, steadyMs } = bridgeLimits
    const wasSteady = this.#state.kind === "ready" && clock.now() - this.#readyAtMs > steadyMs
    this.#crashes = wasSteady ? 1 : this.#crashes + 1
    const waitMs = Math.min(restartMsMost, restartMs * 2 ** (this.#crashes - 1))
    const said = cleanSentence(this.#secrets.hide(why), 500)
    this.#state = { kind: "crashed", why: said, restartAtMs: clock.now() + waitMs }
    this.#cancelRestart = clock.after(waitMs, () => this.#start(), "idle")
  }

  /** Changes that come while the list is read are read once, after it and a little later. */
  #readAgain(): void {
    if (this.#isReadingAgain) return
    this.#isReadingAgain = true
    const pause = new Promise<void>((resolve) => {
      this.#deps.clock.after(bridgeLimits.listEveryMs, resolve, "idle")
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
        const seconds = Math.max(1, Math.ceil((state.restartAtMs - this.#deps.clock.now()) / 1000))
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
    const { signal, output, warn } = context
    const { name: server } = this.spec
    const hide = (text: string) => this.#secrets.hide(text)
    const answer = await connection
      .call({
        tool: listed.name,
        inputSchema: (listed.inputSchema ?? { type: "object" }) as Record<string, unknown>,
        input,
        signal,
        onProgress: (text) =>
          output({ stream: "stdout", bytes: encoder.encode(`${hide(text)}\n`) }),
      })
      .catch(async (error: unknown) => {
        const wanted = signal.aborted ? null : await this.#wantedLogin(error)
        const isCurrent = this.#connection === connection
        if (wanted?.isForAll && isCurrent) this.#awaitLogin(wanted.login.message)
        const login = wanted?.login.message ?? null
        throw callFailure(error, { server, why: connection.whyEnded(), login, signal, hide })
      })
    const { artifacts } = this.#deps.session
    return bridgedResult(answer, { server, tool: listed.name, artifacts, hide, warn })
  }
}

const encoder = new TextEncoder()

function tooSlow(): Error {
  return new Error(`It did not list its tools within ${bridgeLimits.startMs / 1000} s.`)
}
