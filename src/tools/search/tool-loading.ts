import type { Tool } from "../../contract/index.ts"

/** The caller that the policy decides for. */
export interface ToolCaller {
  readonly agent?: string | undefined
  readonly provider?: string | undefined
}

/** What tools.search needs of a session whose models are shown tools as they need them. */
export interface ToolLoading {
  /** Every tool there is: the same list until one comes or goes. */
  readonly all: (signal: AbortSignal) => Promise<readonly Tool[]>
  /** Whether models of this caller may be shown a tool. */
  readonly shows: (tool: Tool, caller: ToolCaller) => boolean
  /** From now on, models are shown these. */
  readonly load: (tools: readonly Tool[]) => void
}
