import { type CallContext, DefinitionError, limits, ToolFailure } from "../../contract/index.ts"
import type { SourceParts } from "../../session/index.ts"
import type { Approvals } from "./approvals.ts"
import { bridgedName } from "./bridged-name.ts"
import { bridgedResult } from "./bridged-result.ts"
import { bridgedTool, type ToolDoor } from "./bridged-tool.ts"
import { callFailure } from "./call-failure.ts"
import type { ListedTool, ListedTools } from "./read-tool-list.ts"
import { connectServer, type ServerConnection } from "./server-connection.ts"
import type { ServerSpec } from "./server-spec.ts"
import type { ServerState, ServerStatus, ToolState, ToolStatus } from "./server-status.ts"

export interface BridgedServerParts extends SourceParts {
  readonly approvals: Approvals
  readonly environment: NodeJS.ProcessEnv
}

/** One server from its start to its end: it crashes alone, comes back, and its tools follow it. */
export class BridgedServer {
  readonly spec: ServerSpec
  readonly #parts: BridgedServerParts
  #state: ServerState = { kind: "idle" }
  #starting: Promise<void> | null = null
  #connection: ServerConnection | null = null
  #ending = new AbortController()
  #readyAtMs = 0
  #crashes = 0
  #cancelRestart = () => {}
  #listed: ListedTools = { tools: [], problem: null }
  #statuses: readonly ToolStatus[] = []
  readonly #held = new Map<string, string>()
  #removeTools = () => {}
  #reading: Promise<void> = Promise.resolve()
  #isReadingAgain = false

  constructor(spec: ServerSpec, parts: BridgedServerParts) {
    this.spec = spec
    this.#parts = parts
  }

  get state(): ServerState {
    return this.#state
  }

  status(): ServerStatus {
    const { problem } = this.#listed
    return { server: this.spec.name, state: this.#state, problem, tools: this.#statuses }
  }

  /** Resolves when it is ready, or known not to be. One that crashed has to wait for its next start. */
  async prepare(): Promise<void> {
    if (this.#state.kind === "idle") this.#start()
    await this.#starting
  }

  /** Looks again at what somebody may have approved meanwhile. */
  async reconsider(): Promise<void> {
    if (this.#state.kind === "ready" && this.#held.size > 0) await this.#register(this.#listed)
  }

  /** Makes its tools, or one of them, those that were seen; false when there is none of that name. */
  async approve(tool?: string): Promise<readonly string[]> {
    const chosen = this.#listed.tools.filter(({ name }) => tool === undefined || tool === name)
    await this.#parts.approvals.approve(this.spec.name, chosen)
    await this.#register(this.#listed)
    return chosen.map(({ name }) => name)
  }

  async close(): Promise<void> {
    this.#state = { kind: "closed" }
    this.#cancelRestart()
    this.#ending.abort(new Error("The session is closed."))
    this.#removeTools()
    const connection = this.#connection
    this.#connection = null
    await connection?.close().catch(() => {})
    await this.#starting
  }

  #start(): void {
    this.#state = { kind: "starting" }
    this.#starting = this.#bringUp()
      .catch((error: unknown) => this.#crash(reasonOf(error)))
      .finally(() => {
        this.#starting = null
      })
  }

  async #bringUp(): Promise<void> {
    const { session, environment, clock } = this.#parts
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
        connectServer(this.spec, { session, environment, onListChanged, onEnd }, signal),
        signal,
      )
      const listed = await Promise.race([
        untilAborted(connection.list(signal), signal),
        ended.promise,
      ])
      await this.#register(listed)
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

  /** The first start again comes soon; one that crashes each time is left alone for longer and longer. */
  #crash(why: string): void {
    if (this.#state.kind === "closed") return
    const { clock } = this.#parts
    const { restartMs, restartMsMost, steadyMs } = limits.bridge
    const wasSteady = this.#state.kind === "ready" && clock.now() - this.#readyAtMs > steadyMs
    this.#crashes = wasSteady ? 1 : this.#crashes + 1
    const waitMs = Math.min(restartMsMost, restartMs * 2 ** (this.#crashes - 1))
    this.#state = { kind: "crashed", why, restartAtMs: clock.now() + waitMs }
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
      if (listed && this.#connection === connection) await this.#register(listed).catch(() => {})
    })
  }

  /** Puts the session's tools in step with the list. */
  async #register(listed: ListedTools): Promise<void> {
    const { approvals, session } = this.#parts
    const defined = listed.tools.map((tool) => ({
      tool,
      made: bridgedTool(this.spec, tool, this.#door),
    }))
    const fit = defined.filter(({ made }) => made.kind === "defined").map(({ tool }) => tool)
    const changed = await approvals.changed(this.spec.name, fit)
    if (this.#state.kind === "closed") return
    this.#removeTools()
    this.#held.clear()
    for (const name of changed) this.#held.set(name, heldBack(this.spec.name, name))
    const removers: (() => void)[] = []
    const seen = new Set<string>()
    this.#statuses = defined.map(({ tool, made }) => {
      const state = this.#admit(tool, made, seen)
      if (state.kind !== "left out" && made.kind === "defined") {
        try {
          removers.push(session.addTools([made.tool]))
        } catch (error) {
          if (!(error instanceof DefinitionError)) throw error
          return { ...this.#named(tool), state: { kind: "left out", why: error.message } }
        }
      }
      return { ...this.#named(tool), state }
    })
    this.#listed = listed
    this.#removeTools = () => {
      for (const remove of removers.splice(0)) remove()
    }
  }

  #named({ name }: ListedTool) {
    return { name: bridgedName(this.spec.name, name), tool: name }
  }

  #admit(tool: ListedTool, made: ReturnType<typeof bridgedTool>, seen: Set<string>): ToolState {
    if (made.kind === "unfit") return { kind: "left out", why: made.why }
    if (seen.has(tool.name)) {
      return { kind: "left out", why: `Its server lists ${JSON.stringify(tool.name)} twice.` }
    }
    seen.add(tool.name)
    const why = this.#held.get(tool.name)
    return why === undefined ? { kind: "ready" } : { kind: "held", why }
  }

  readonly #door: ToolDoor = {
    missing: ({ name }) => this.#held.get(name) ?? this.whyNotReady(),
    run: (listed, input, context) => this.#run(listed, input, context),
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
    const encoder = new TextEncoder()
    const answer = await connection
      .call({
        tool: listed.name,
        inputSchema: (listed.inputSchema ?? { type: "object" }) as Record<string, unknown>,
        input,
        signal,
        onProgress: (said) => output({ stream: "stdout", bytes: encoder.encode(`${said}\n`) }),
      })
      .catch((error: unknown) => {
        throw callFailure(error, { server: this.spec.name, why: connection.whyEnded(), signal })
      })
    const { artifacts } = this.#parts.session
    return bridgedResult(answer, { server: this.spec.name, tool: listed.name, artifacts })
  }
}

function heldBack(server: string, tool: string): string {
  return (
    `The definition of this tool has changed since it was first seen. A person has to look at it and run ` +
    `toolkeep mcp approve ${server} ${/^[\w.-]+$/.test(tool) ? tool : JSON.stringify(tool)}`
  )
}

function tooSlow(): Error {
  return new Error(`It did not list its tools within ${limits.bridge.startMs / 1000} s.`)
}

function reasonOf(error: unknown): string {
  const reason = error instanceof Error ? error.message : String(error)
  const short = reason.slice(0, 500)
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
