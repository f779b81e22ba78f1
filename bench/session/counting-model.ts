import type { LanguageModelV4, LanguageModelV4StreamPart } from "@ai-sdk/provider"

/** Of a long run: so many rounds, each with so many calls. */
export interface LoopSize {
  readonly rounds: number
  readonly calls: number
}

/** A model that asks for the same calls in each round, and then says that it is done. It keeps no request. */
export function countingModel(tool: string, { rounds, calls }: LoopSize): LanguageModelV4 {
  let asked = 0
  return {
    ...{ specificationVersion: "v4", provider: "scripted", modelId: "script", supportedUrls: {} },
    doGenerate: () => Promise.reject(new Error("Only streams are scripted.")),
    async doStream() {
      asked += 1
      const parts = asked > rounds ? lastAnswer : roundOf(tool, asked, calls)
      return { stream: ReadableStream.from(parts) }
    },
  }
}

function* roundOf(
  tool: string,
  round: number,
  calls: number,
): Generator<LanguageModelV4StreamPart> {
  yield { type: "stream-start", warnings: [] }
  for (let index = 0; index < calls; index += 1) {
    const id = `call_${round}_${index}`
    const input = JSON.stringify({ a: round, b: index })
    yield { type: "tool-input-start", id, toolName: tool }
    yield { type: "tool-input-delta", id, delta: input }
    yield { type: "tool-input-end", id }
    yield { type: "tool-call", toolCallId: id, toolName: tool, input }
  }
  yield finish("tool-calls")
}

function finish(unified: "tool-calls" | "stop"): LanguageModelV4StreamPart {
  return {
    type: "finish",
    finishReason: { unified, raw: unified },
    usage: {
      inputTokens: { total: 100, noCache: 100, cacheRead: 0, cacheWrite: 0 },
      outputTokens: { total: 10, text: 10, reasoning: 0 },
    },
  }
}

const lastAnswer: readonly LanguageModelV4StreamPart[] = [
  { type: "stream-start", warnings: [] },
  { type: "text-start", id: "text" },
  { type: "text-delta", id: "text", delta: "Done." },
  { type: "text-end", id: "text" },
  finish("stop"),
]
