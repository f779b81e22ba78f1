import type { LanguageModelV4 } from "@ai-sdk/provider"
import { ToolFailure } from "../../contract/index.ts"
import { printable, Secrets } from "../../kit/index.ts"
import { type FindVersion, type OptionalPackage, packageProblem } from "../../node/index.ts"
import { boundedFetch } from "./bounded-fetch.ts"
import { guardModel } from "./guard-model.ts"

export interface OpenModelOptions {
  /** Instead of ANTHROPIC_API_KEY or OPENAI_API_KEY. */
  readonly apiKey?: string
  /** Instead of ANTHROPIC_BASE_URL, OPENAI_BASE_URL or the provider's own address. */
  readonly baseUrl?: string
  readonly environment?: Readonly<Record<string, string | undefined>>
  /** The version of an installed package, for a program that bundles them. */
  readonly findVersion?: FindVersion
}

/** What an id names. */
type Target =
  | { readonly api: "anthropic" | "openai" | "openai-chat"; readonly model: string }
  | { readonly api: "compatible"; readonly model: string; readonly url: string }

const examples =
  "anthropic/claude-sonnet-4-5, openai/gpt-5, openai-chat/gpt-4.1 or http://127.0.0.1:11434/v1#qwen3"

/**
 * A model by its id: `anthropic/<model>`, `openai/<model>` (Responses), `openai-chat/<model>` (Chat Completions), or
 * `<URL>#<model>` on any server that is compatible with OpenAI's, such as Ollama, llama.cpp or vLLM.
 */
export async function openModel(
  id: string,
  options: OpenModelOptions = {},
): Promise<LanguageModelV4> {
  const target = readId(id)
  switch (target.api) {
    case "anthropic":
      return openAnthropic(target.model, options)
    case "openai":
    case "openai-chat":
      return openOpenai(target.api, target.model, options)
    case "compatible":
      return openCompatible(target.url, target.model, options)
  }
}

function readId(id: string): Target {
  const [, api, model] = /^(anthropic|openai|openai-chat)\/(\S+)$/.exec(id) ?? []
  if (model !== undefined && (api === "anthropic" || api === "openai" || api === "openai-chat")) {
    return { api, model }
  }
  if (/^https?:\/\//.test(id)) return readAddress(id)
  const shown = printable(id.slice(0, 100))
  throw invalid(`"${shown}" is not the id of a model. Write it as ${examples}.`)
}

/** The id may hold a password, so no sentence repeats it. */
function readAddress(id: string): Target {
  const [address = "", model = ""] = id.split(/#(.*)/s)
  const url = URL.parse(address)
  if (!url) throw invalid(`The address of the model is not a URL. Write it as ${examples}.`)
  if (url.username !== "" || url.password !== "" || url.search !== "") {
    throw invalid(
      "The address of a model can't hold a login or a query. Set the key with `export OPENAI_API_KEY=...`.",
    )
  }
  if (!/^\S+$/.test(model)) {
    throw invalid(`The address lacks the name of the model: add #<model>, as in ${examples}.`)
  }
  return { api: "compatible", model, url: withoutSlash(url.href) }
}

async function openAnthropic(model: string, options: OpenModelOptions): Promise<LanguageModelV4> {
  const id = `anthropic/${model}`
  demandPackage(id, "@ai-sdk/anthropic", options)
  const apiKey = keyOf(id, "ANTHROPIC_API_KEY", options)
  const { createAnthropic } = await import("@ai-sdk/anthropic")
  const given = baseUrlOf("ANTHROPIC_BASE_URL", options) ?? "https://api.anthropic.com"
  // Anthropic's own clients add the version to this variable, and the AI SDK does not.
  const baseURL = /\/v1$/.test(given) ? given : `${given}/v1`
  const opened = createAnthropic({ apiKey, baseURL, fetch: boundedFetch })(model)
  return guardModel(opened, "anthropic", new Secrets().add("ANTHROPIC_API_KEY", apiKey))
}

async function openOpenai(
  api: "openai" | "openai-chat",
  model: string,
  options: OpenModelOptions,
): Promise<LanguageModelV4> {
  const id = `${api}/${model}`
  demandPackage(id, "@ai-sdk/openai", options)
  const apiKey = keyOf(id, "OPENAI_API_KEY", options)
  const { createOpenAI } = await import("@ai-sdk/openai")
  const baseURL = baseUrlOf("OPENAI_BASE_URL", options) ?? "https://api.openai.com/v1"
  const provider = createOpenAI({ apiKey, baseURL, fetch: boundedFetch })
  const opened = api === "openai" ? provider.responses(model) : provider.chat(model)
  return guardModel(opened, api, new Secrets().add("OPENAI_API_KEY", apiKey))
}

async function openCompatible(
  url: string,
  model: string,
  options: OpenModelOptions,
): Promise<LanguageModelV4> {
  demandPackage(`${url}#${model}`, "@ai-sdk/openai-compatible", options)
  const apiKey = findKey("OPENAI_API_KEY", options)
  const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible")
  const opened = createOpenAICompatible({
    name: "compatible",
    baseURL: url,
    includeUsage: true,
    fetch: boundedFetch,
    ...(apiKey === undefined ? {} : { apiKey }),
  })(model)
  const secrets = new Secrets()
  if (apiKey !== undefined) secrets.add("OPENAI_API_KEY", apiKey)
  return guardModel(opened, url, secrets)
}

function demandPackage(id: string, name: OptionalPackage, { findVersion }: OpenModelOptions): void {
  const message = packageProblem(`The model ${printable(id)}`, [name], findVersion)
  if (message !== null) throw new ToolFailure({ kind: "unavailable", message, retryable: false })
}

function keyOf(id: string, variable: string, options: OpenModelOptions): string {
  const key = findKey(variable, options)
  if (key !== undefined) return key
  const message = `The model ${printable(id)} needs an API key: run \`export ${variable}=...\`.`
  throw new ToolFailure({ kind: "unavailable", message, retryable: false })
}

/** A line break at the end is a common accident, and no header can hold one. */
function findKey(variable: string, options: OpenModelOptions): string | undefined {
  const key = (options.apiKey ?? (options.environment ?? process.env)[variable])?.trim()
  if (key === undefined || key === "") return undefined
  if (/^[!-~]+$/.test(key)) return key
  throw invalid(`${variable} has characters that no API key has. Set it again.`)
}

function baseUrlOf(variable: string, options: OpenModelOptions): string | undefined {
  const text = (options.baseUrl ?? (options.environment ?? process.env)[variable])?.trim()
  if (text === undefined || text === "") return undefined
  const url = URL.parse(text)
  if (url && /^https?:$/.test(url.protocol) && url.username === "" && url.password === "") {
    return withoutSlash(url.href)
  }
  throw invalid(`${variable} is not a usable address. Set it to a URL such as https://host/v1.`)
}

function withoutSlash(url: string): string {
  let end = url.length
  while (url[end - 1] === "/") end -= 1
  return url.slice(0, end)
}

function invalid(message: string): ToolFailure {
  return new ToolFailure({ kind: "invalid_args", message, retryable: false })
}
