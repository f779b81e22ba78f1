import {
  type Envelope,
  type FailureDetails,
  failure,
  type RenderedTools,
  renderTools,
  type Success,
  showResult,
  type Tool,
  type ToolFormat,
} from "../../contract/index.ts"
import type { Vocabulary } from "../../dialects/index.ts"
import { type AiSdkTool, aiSdkTools } from "../answers/ai-sdk-tools.ts"
import { type AnswerCalls, createAnswers } from "../answers/answer-calls.ts"
import type { CallOptions, Session } from "../session.ts"

/** One sandbox of a session, for a model that should see no other. */
export interface SandboxView {
  readonly name: string
  /** shell, read_file, write_file, glob and browse, which work in this sandbox. */
  readonly tools: {
    (): Promise<Tool[]>
    <Format extends ToolFormat>(asked: { readonly for: Format }): Promise<RenderedTools[Format][]>
    (asked: { readonly for: "ai-sdk" }): Promise<Record<string, AiSdkTool>>
  }
  /** Calls one of them. */
  call(tool: string, input?: unknown, options?: CallOptions): Promise<Envelope>
  /** Answers a model's calls of them, as `session.answer` does. */
  readonly answer: AnswerCalls<CallOptions>
}

export interface SandboxViewDeps {
  readonly name: string
  readonly home: string | undefined
  /** What commands reach, as the tools say it. */
  readonly environment: string
  readonly start: Session["start"]
  readonly registered: () => readonly Tool[]
  readonly isAllowed: (tool: Tool) => boolean
  readonly images: Parameters<typeof createAnswers>[0]["images"]
}

/** The dialect is loaded with the first use. */
export function createSandboxView(deps: SandboxViewDeps): SandboxView {
  const { name, registered, isAllowed, images } = deps
  let opened: Promise<Vocabulary> | null = null
  const vocabulary = () => {
    opened ??= openBound(deps)
    return opened
  }
  const own = async () => (await vocabulary()).tools(registered().filter(isAllowed))
  const call: SandboxView["call"] = async (tool, input, options) => {
    const { timeoutMs } = options ?? {}
    const words = await vocabulary()
    if (!words.names.includes(tool)) return failure(tool, unknownTool(tool, words.names))
    const said = words.translate(tool, input, { tools: registered, isAllowed, timeoutMs })
    const { envelope } = deps.start(said.tool, said.input, { ...options, refusal: said.refusal })
    return said.answer(await envelope)
  }
  const start = (tool: string, input: unknown, options?: CallOptions) => ({
    envelope: call(tool, input, options),
  })
  const show = ({ result }: Success) => showResult(undefined, result)
  return {
    name,
    tools: (async (asked?: { readonly for: ToolFormat | "ai-sdk" }) => {
      const tools = await own()
      if (!asked) return tools
      return asked.for === "ai-sdk"
        ? aiSdkTools(tools, { start, images })
        : renderTools(asked.for, tools)
    }) as SandboxView["tools"],
    call,
    answer: createAnswers({ start, show, images, forModel: (envelope) => envelope }),
  }
}

async function openBound({ name, home, environment }: SandboxViewDeps): Promise<Vocabulary> {
  const { boundSandbox, openDialect } = await import("../../dialects/index.ts")
  return (await openDialect(boundSandbox(name), home))(environment)
}

/** Nothing beside the five can be called through it. */
function unknownTool(tool: string, names: readonly string[]): FailureDetails {
  const message = `There is no tool ${JSON.stringify(tool)} here; there are ${names.join(", ")}.`
  return { kind: "tool_not_found", message }
}
