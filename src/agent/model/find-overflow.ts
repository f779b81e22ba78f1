import type { ModelProblem } from "./model-error.ts"

/** What providers say when the conversation is too long. The group is the limit in tokens. */
const overflows: readonly RegExp[] = [
  // Anthropic.
  /prompt is too long(?:: [\d,]+ tokens > (?<limit>[\d,]+) maximum)?/i,
  /exceed context limit: [\d,]+ \+ [\d,]+ > (?<limit>[\d,]+)/i,
  // OpenAI, vLLM and OpenRouter.
  /maximum context length (?:is|of) (?<limit>[\d,]+)/i,
  /exceeds the context window/i,
  /longer than the maximum model length of (?<limit>[\d,]+)/i,
  // OpenAI's limit of tokens a minute: waiting does not make the request smaller.
  /request too large for .*?\blimit:? (?<limit>[\d,]+)/i,
  // llama.cpp, Ollama, LM Studio.
  /exceeds the available context size(?: \((?<limit>[\d,]+) tokens\))?/i,
  /input length exceeds the context length/i,
  /greater than the context length/i,
  // Others that speak OpenAI's protocol: Google, xAI, Mistral, Copilot, MiniMax, Bedrock, Groq.
  /exceeds the maximum number of tokens allowed \((?<limit>[\d,]+)\)/i,
  /maximum prompt length is (?<limit>[\d,]+)/i,
  /too large for model with (?<limit>[\d,]+) maximum context length/i,
  /prompt token count of [\d,]+ exceeds the limit of (?<limit>[\d,]+)/i,
  /context window exceeds limit/i,
  /input is too long for requested model/i,
  /reduce the length of the messages/i,
]

const codes =
  /context_length_exceeded|exceed_context_size|context_window_exceeded|request_too_large/

/** Whether the provider says that the context is too long, with its limit in tokens where it says that; null if not. */
export function findOverflow(problem: ModelProblem): { readonly limit?: number } | null {
  for (const pattern of overflows) {
    const found = pattern.exec(problem.words)
    if (!found) continue
    const limit = Number(found.groups?.limit?.replaceAll(",", ""))
    return limit > 0 ? { limit } : {}
  }
  return codes.test(problem.code) || problem.status === 413 ? {} : null
}
