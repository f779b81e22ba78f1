import {
  type AnthropicTool,
  type RenderedTools,
  renderTools,
  type Tool,
  type ToolFormat,
} from "../../contract/index.ts"
import type { Vocabulary } from "../../dialects/index.ts"
import { publish } from "../../kit/index.ts"
import type { Caller, Policy } from "../../policy/index.ts"
import { searchToolName, type ToolLoading, toolSearchLimits } from "../../tools/index.ts"
import { type AiSdkDeps, type AiSdkTool, aiSdkTools } from "../answers/ai-sdk-tools.ts"

/** Whether models are shown a few tools at first; "auto" where there are more than 40. */
export type Defer = "auto" | "on" | "off"

export interface ToolsQuery extends Caller {
  /** Also those that a model finds with tools.search only. */
  readonly all?: boolean | undefined
}

/** Which of a session's tools models are shown. */
export interface ShownTools {
  readonly tools: {
    (asked?: ToolsQuery): Tool[]
    <Format extends ToolFormat>(asked: ToolsQuery & { for: Format }): RenderedTools[Format][]
    /** With `execute`, which calls the session. */
    (asked: ToolsQuery & { for: "ai-sdk" }): Record<string, AiSdkTool>
    /** All of them; `defer_loading` marks those that Anthropic's API should keep from the model at first. */
    (asked: Caller & { for: "anthropic"; deferred: "marked" }): AnthropicTool[]
  }
  readonly loading: ToolLoading
  /** Called when a tool comes or goes. */
  readonly changed: () => void
  readonly watch: (watcher: () => void) => () => void
}

export interface ShownToolsDeps extends AiSdkDeps {
  readonly policy: Policy
  readonly defer: Defer
  /** Shows the tools in its words; the canonical ones when absent. */
  readonly vocabulary?: Vocabulary | undefined
  /** The names of the program's own tools. */
  readonly own: readonly string[]
  /** A tool with its texts as a model reads them. */
  readonly forModel: (tool: Tool) => Tool
  /** Every tool that is registered. */
  readonly list: () => Tool[]
  /** Resolves when tools that come later are registered too. */
  readonly prepare: (signal: AbortSignal) => Promise<void>
}

/** What most work is done with. */
const defaultTools = [
  "file.read",
  "file.write",
  "file.edit",
  "file.patch",
  "file.list",
  "file.glob",
  "file.grep",
  "file.info",
  "file.move",
  "file.remove",
  "shell.exec",
  "process.start",
  "process.list",
  "process.status",
  "process.output",
  "process.wait",
  "process.kill",
  "process.write",
  "code.run",
  "sandbox.create",
  "system.info",
] as const

type Asked = ToolsQuery & { readonly for?: ToolFormat | "ai-sdk"; readonly deferred?: "marked" }

export function createShownTools(parts: ShownToolsDeps): ShownTools {
  const { policy, defer, own, list, vocabulary } = parts
  const shownOwn = own.length <= toolSearchLimits.ownAtFirst ? own : []
  const atFirst = vocabulary?.names ?? defaultTools
  const loaded = new Set<string>([...atFirst, ...shownOwn, searchToolName])
  const watchers = new Set<(change: undefined) => void>()
  let all: readonly Tool[] | null = null
  let isAnnounced = false

  /** Once for all that happens together: a server may bring a thousand tools. */
  function announce(): void {
    if (isAnnounced) return
    isAnnounced = true
    queueMicrotask(() => {
      isAnnounced = false
      publish(watchers, undefined)
    })
  }
  const shows = (tool: Tool, caller: Caller) =>
    tool.unavailableReason() === null && policy.shows(tool, caller)

  /** Nothing is kept from models that may not search. */
  function isDeferring(visible: readonly Tool[]): boolean {
    const others = visible.filter(({ name }) => name !== searchToolName).length
    return others < visible.length && (defer === "on" || others > toolSearchLimits.deferAbove)
  }
  function toolsFor(asked: Asked = {}) {
    const allowed = list().filter((tool) => shows(tool, asked))
    const visible = vocabulary
      ? [...vocabulary.tools(allowed), ...vocabulary.others(allowed)]
      : allowed
    const deferring = isDeferring(visible)
    const isShown = ({ name }: Tool) => (deferring ? loaded.has(name) : name !== searchToolName)
    if (asked.deferred === "marked") {
      const all = (deferring ? visible : visible.filter(isShown)).map(parts.forModel)
      return markDeferred(all, isShown)
    }
    const shown = deferring && asked.all ? visible : visible.filter(isShown)
    if (asked.for === undefined) return shown
    const told = shown.map(parts.forModel)
    return asked.for === "ai-sdk" ? aiSdkTools(told, parts) : renderTools(asked.for, told)
  }

  return {
    tools: toolsFor as ShownTools["tools"],
    loading: {
      async all(signal) {
        await parts.prepare(signal)
        // A dialect is short, and shown as a whole.
        all ??= vocabulary ? vocabulary.others(list()) : list()
        return all
      },
      shows,
      load(tools) {
        const before = loaded.size
        const shown = vocabulary ? vocabulary.others(tools) : tools
        for (const { name } of shown) loaded.add(name)
        if (loaded.size > before) announce()
      },
    },
    changed() {
      all = null
      announce()
    },
    watch(watcher) {
      watchers.add(watcher)
      return () => watchers.delete(watcher)
    },
  }
}

function markDeferred(tools: readonly Tool[], isShown: (tool: Tool) => boolean): AnthropicTool[] {
  return tools.flatMap((tool) => {
    const rendered = renderTools("anthropic", [tool])
    return isShown(tool)
      ? rendered
      : rendered.map((one) => ({ ...one, defer_loading: true as const }))
  })
}
