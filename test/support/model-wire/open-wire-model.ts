import type { LanguageModelV4 } from "@ai-sdk/provider"
import { openModel } from "../../../src/agent/model/index.ts"

/** The APIs that a stand-in speaks, by the names that tests have for them. */
export const wireNames = ["anthropic", "openai", "openai-chat", "compatible"] as const

export type WireName = (typeof wireNames)[number]

/** It must not be in any message. */
export const wireKey = "sk-test-7f3k9q2m5x8w1z4v"

const models = { anthropic: "claude-sonnet-4-5", openai: "gpt-5", "openai-chat": "gpt-5" }

/** The id of the model that a stand-in at this address is. */
export function wireModelId(name: WireName, url: string): string {
  return name === "compatible" ? `${url}/compatible/v1#qwen3` : `${name}/${models[name]}`
}

/** Opens it as a user does. */
export function openWireModel(name: WireName, url: string): Promise<LanguageModelV4> {
  const baseUrl = name === "anthropic" ? url : `${url}/v1`
  return openModel(wireModelId(name, url), { apiKey: wireKey, baseUrl, environment: {} })
}
