import type { LanguageModelV4 } from "@ai-sdk/provider"

/** How a provider transports a conversation, as far as a prompt has to differ. */
export type Wire = "anthropic" | "openai-responses" | "chat"

export function wireOf({ provider }: LanguageModelV4): Wire {
  if (provider.includes("anthropic")) return "anthropic"
  return provider === "openai" || provider.endsWith(".responses") ? "openai-responses" : "chat"
}

/** As `openModel` takes it: "anthropic/claude-sonnet-4-5", or "http://127.0.0.1:11434/v1#qwen3". */
export function modelName({ provider, modelId }: LanguageModelV4): string {
  if (provider.includes("://")) return `${provider}#${modelId}`
  return `${provider.split(".", 1)[0]}/${modelId}`
}

/** What policies call who runs a model: "anthropic", "openai" with either of its APIs, or an address. */
export function policyProvider(model: LanguageModelV4): string {
  const provider = providerOf(modelName(model))
  return provider === "openai-chat" ? "openai" : provider
}

/** Of a model's name, the part that says who runs it. */
export function providerOf(name: string): string {
  return name.includes("://") ? (name.split("#", 1)[0] ?? name) : (name.split("/", 1)[0] ?? name)
}
