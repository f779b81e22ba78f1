import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4FinishReason,
  LanguageModelV4StreamPart,
} from "@ai-sdk/provider"

/** One answer of a scripted model. */
export interface ScriptedAnswer {
  readonly text?: string
  readonly calls?: readonly ScriptedCall[]
  readonly finish?: LanguageModelV4FinishReason["unified"]
  readonly usage?: { readonly input: number; readonly output: number }
  /** Waits for this before it ends. */
  readonly until?: Promise<unknown>
}

export interface ScriptedCall {
  readonly id?: string
  readonly tool: string
  /** Arguments, or their raw text. */
  readonly input: unknown
}

export type Script = (
  request: LanguageModelV4CallOptions,
  count: number,
) => ScriptedAnswer | Promise<ScriptedAnswer>

export interface ScriptedModel extends LanguageModelV4 {
  /** The requests it got. */
  readonly requests: LanguageModelV4CallOptions[]
}

/** A model that answers what a test says: one answer after the other, or what a function makes of each request. */
export function scriptedModel(script: readonly ScriptedAnswer[] | Script): ScriptedModel {
  const requests: LanguageModelV4CallOptions[] = []
  const answerTo: Script =
    typeof script === "function"
      ? script
      : (_request, count) => {
          const answer = script[count]
          if (!answer) throw new Error(`The script has no answer ${count + 1}.`)
          return answer
        }
  const doStream: LanguageModelV4["doStream"] = async (options) => {
    const { abortSignal: _, ...request } = options
    requests.push(structuredClone(request))
    const answer = await answerTo(options, requests.length - 1)
    return { stream: ReadableStream.from(partsOf(answer, options.abortSignal)) }
  }
  return {
    ...{ specificationVersion: "v4", provider: "scripted", modelId: "script", supportedUrls: {} },
    doGenerate: () => Promise.reject(new Error("Only streams are scripted.")),
    doStream,
    requests,
  }
}

let made = 0

async function* partsOf(
  answer: ScriptedAnswer,
  signal: AbortSignal | undefined,
): AsyncGenerator<LanguageModelV4StreamPart> {
  const { text, calls = [], usage = { input: 0, output: 0 } } = answer
  yield { type: "stream-start", warnings: [] }
  if (text !== undefined) {
    yield { type: "text-start", id: "text" }
    yield { type: "text-delta", id: "text", delta: text }
    yield { type: "text-end", id: "text" }
  }
  if (answer.until) {
    const aborted = new Promise((_, reject) => {
      signal?.addEventListener("abort", () => reject(signal.reason))
    })
    await Promise.race([answer.until, aborted])
  }
  for (const { id, tool, input } of calls) {
    made += 1
    const toolCallId = id ?? `provider_${made}`
    const raw = typeof input === "string" ? input : JSON.stringify(input)
    yield { type: "tool-input-start", id: toolCallId, toolName: tool }
    yield { type: "tool-input-delta", id: toolCallId, delta: raw }
    yield { type: "tool-input-end", id: toolCallId }
    yield { type: "tool-call", toolCallId, toolName: tool, input: raw }
  }
  const unified = answer.finish ?? (calls.length > 0 ? "tool-calls" : "stop")
  yield {
    type: "finish",
    finishReason: { unified, raw: unified },
    usage: {
      inputTokens: { total: usage.input, noCache: usage.input, cacheRead: 0, cacheWrite: 0 },
      outputTokens: { total: usage.output, text: usage.output, reasoning: 0 },
    },
  }
}
