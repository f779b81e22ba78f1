import type { ServerSpec } from "../../../config/index.ts"
import { DefinitionError } from "../../../contract/index.ts"
import type { Session } from "../../../session/index.ts"
import type { ListedTool, ListedTools } from "../connection/read-tool-list.ts"
import { type Approvals, definitionOf } from "./approvals.ts"
import { bridgedName, bridgedTool, type ToolRunner } from "./bridged-tool.ts"

export interface ToolStatus {
  /** As a model calls it. */
  readonly name: string
  /** As its server calls it. */
  readonly tool: string
  readonly state: ToolState
}

export type ToolState =
  | { readonly kind: "ready" }
  /** Its definition is not the one that was seen first. */
  | { readonly kind: "held"; readonly why: string; readonly definition: object }
  | { readonly kind: "left out"; readonly why: string }

export interface ServerToolsDeps {
  readonly spec: ServerSpec
  readonly session: Session
  readonly approvals: Approvals
  readonly run: ToolRunner["run"]
  /** Why none of them can run now; null when they can. */
  readonly whyNotReady: () => string | null
}

/** One server's tools in a session: those of its list, except the ones that are held back or unusable. */
export class ServerTools {
  readonly #deps: ServerToolsDeps
  readonly #runner: ToolRunner
  readonly #held = new Map<string, string>()
  #listed: ListedTools = { tools: [], problem: null }
  #statuses: readonly ToolStatus[] = []
  #remove = () => {}
  #isClosed = false

  constructor(deps: ServerToolsDeps) {
    this.#deps = deps
    const { run, whyNotReady } = deps
    this.#runner = { run, unavailableReason: ({ name }) => this.#held.get(name) ?? whyNotReady() }
  }

  get statuses(): readonly ToolStatus[] {
    return this.#statuses
  }

  /** What was left out of the list, as a sentence. */
  get problem(): string | null {
    return this.#listed.problem
  }

  /** Checks again whether somebody has approved what is held back. */
  async reconsider(): Promise<void> {
    if (this.#held.size > 0) await this.follow(this.#listed)
  }

  /** Approves the present definitions of all tools, or of one; resolves with their names. */
  async approve(tool?: string): Promise<readonly string[]> {
    const { spec, approvals } = this.#deps
    const chosen = this.#listed.tools.filter(({ name }) => tool === undefined || tool === name)
    await approvals.approve(spec.name, chosen)
    await this.follow(this.#listed)
    return chosen.map(({ name }) => name)
  }

  /** Makes the session's tools those of the list. */
  async follow(listed: ListedTools): Promise<void> {
    const { approvals, spec } = this.#deps
    const defined = listed.tools.map((tool) => ({
      tool,
      made: bridgedTool(spec, tool, this.#runner),
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
      removers.push(this.#deps.session.addTools([made.tool]))
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
