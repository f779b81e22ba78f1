import type { Tool } from "../../contract/index.ts"

/** Who asks, for the policy. */
export interface ToolCaller {
  readonly agent?: string | undefined
  readonly provider?: string | undefined
}

/** What tools.search needs of a session whose models are told of tools as they need them. */
export interface ToolLoading {
  /** Every tool there is: the same list until one comes or goes. */
  readonly all: (signal: AbortSignal) => Promise<readonly Tool[]>
  /** Whether models of this asker may be told of a tool. */
  readonly shows: (tool: Tool, asker: ToolCaller) => boolean
  /** From now on, models are told of these. */
  readonly load: (tools: readonly Tool[]) => void
}
