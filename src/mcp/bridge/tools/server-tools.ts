import type { ServerSpec } from "../../../config/index.ts"
import { DefinitionError } from "../../../contract/index.ts"
import type { Session } from "../../../session/index.ts"
import type { ListedTool, ListedTools } from "../connection/read-tool-list.ts"
import { type Approvals, definitionOf } from "./approvals.ts"
import { bridgedName } from "./bridged-name.ts"
import { bridgedTool, type ToolDoor } from "./bridged-tool.ts"
import type { ToolState, ToolStatus } from "./server-status.ts"

export interface ServerToolsParts {
  readonly spec: ServerSpec
  readonly session: Session
  readonly approvals: Approvals
  readonly run: ToolDoor["run"]
  /** Why none of them can run now; null when they can. */
  readonly whyNotReady: () => string | null
}

/** One server's tools in a session: as its list says, but for those that are held back or can't be. */
export class ServerTools {
  readonly #parts: ServerToolsParts
  readonly #door: ToolDoor
  readonly #held = new Map<string, string>()
  #listed: ListedTools = { tools: [], problem: null }
  #statuses: readonly ToolStatus[] = []
  #remove = () => {}
  #isClosed = false

  constructor(parts: ServerToolsParts) {
    this.#parts = parts
    const { run, whyNotReady } = parts
    this.#door = { run, missing: ({ name }) => this.#held.get(name) ?? whyNotReady() }
  }

  get statuses(): readonly ToolStatus[] {
    return this.#statuses
  }

  /** What was left out of the list, as a sentence. */
  get problem(): string | null {
    return this.#listed.problem
  }

  /** Looks again at what somebody may have approved meanwhile. */
  async reconsider(): Promise<void> {
    if (this.#held.size > 0) await this.follow(this.#listed)
  }

  /** Makes them, or one of them, those that were seen; resolves with their names. */
  async approve(tool?: string): Promise<readonly string[]> {
    const { spec, approvals } = this.#parts
    const chosen = this.#listed.tools.filter(({ name }) => tool === undefined || tool === name)
    await approvals.approve(spec.name, chosen)
    await this.follow(this.#listed)
    return chosen.map(({ name }) => name)
  }

  /** Puts the session's tools in step with the list. */
  async follow(listed: ListedTools): Promise<void> {
    const { approvals, spec } = this.#parts
    const defined = listed.tools.map((tool) => ({
      tool,
      made: bridgedTool(spec, tool, this.#door),
    }))
    const fit = defined.filter(({ made }) => made.kind === "defined").map(({ tool }) => tool)
    const changed = await approvals.changed(spec.name, fit)
    if (this.#isClosed) return
    this.#remove()
    this.#held.clear()
    for (const name of changed) this.#held.set(name, heldBack(spec.name, name))
    const removers: (() => void)[] = []
    const seen = new Set<string>()
    this.#statuses = defined.map(({ tool, made }) => ({
      name: bridgedName(spec.name, tool.name),
      tool: tool.name,
      state: this.#add(made, this.#admit(tool, made, seen), removers),
    }))
    this.#listed = listed
    this.#remove = () => {
      for (const remove of removers.splice(0)) remove()
    }
  }

  close(): void {
    this.#isClosed = true
    this.#remove()
  }

  #admit(tool: ListedTool, made: ReturnType<typeof bridgedTool>, seen: Set<string>): ToolState {
    if (made.kind === "unfit") return { kind: "left out", why: made.why }
    if (seen.has(tool.name)) {
      return { kind: "left out", why: `Its server lists ${JSON.stringify(tool.name)} twice.` }
    }
    seen.add(tool.name)
    const why = this.#held.get(tool.name)
    return why === undefined
      ? { kind: "ready" }
      : { kind: "held", why, definition: definitionOf(tool) }
  }

  #add(
    made: ReturnType<typeof bridgedTool>,
    state: ToolState,
    removers: (() => void)[],
  ): ToolState {
    if (state.kind === "left out" || made.kind === "unfit") return state
    try {
      removers.push(this.#parts.session.addTools([made.tool]))
      return state
    } catch (error) {
      if (!(error instanceof DefinitionError)) throw error
      return { kind: "left out", why: error.message }
    }
  }
}

function heldBack(server: string, tool: string): string {
  return (
    `The definition of this tool has changed since it was first seen. A person has to look at it and run ` +
    `toolkeep mcp approve ${server} ${/^[\w.-]+$/.test(tool) ? tool : JSON.stringify(tool)}`
  )
}
