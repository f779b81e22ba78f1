import { type CallContext, ToolFailure } from "../../../contract/index.ts"
import { createDeadline } from "../../../kit/index.ts"
import { createEgressGuard } from "../../../sandbox/index.ts"
import { webLimits } from "../../limits.ts"
import { acceptedEncodings, readBody } from "../read-body.ts"
import { reachAgent, type SendOptions, sendRequest } from "../send-request.ts"
import {
  type ProviderSettings,
  providerProblem,
  type SearchPage,
  type SearchResult,
  searchProviders,
} from "./providers.ts"
import type { SearchDeps, SearchInput } from "./search-tool.ts"

/** Asks the providers in their order until one answers. */
export async function searchWeb(input: SearchInput, parts: SearchDeps, context: CallContext) {
  const { signal } = context
  const reasons: string[] = []
  for (const settings of parts.providers) {
    const { provider } = settings
    try {
      const results = await askProvider({ settings, version: parts.version }, input, signal)
      for (const reason of reasons) context.warn(reason)
      const { query } = input
      return { kind: "search" as const, query, provider, results, result_count: results.length }
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof ToolFailure)) throw error
      reasons.push(`${provider} did not answer: ${error.message}`)
    }
  }
  throw unusable(reasons.join(" "))
}

interface Asked {
  readonly settings: ProviderSettings
  /** Toolkeep's own. */
  readonly version: string
}

async function askProvider(
  asked: Asked,
  input: SearchInput,
  signal: AbortSignal,
): Promise<readonly SearchResult[]> {
  const { settings } = asked
  const problem = providerProblem(settings)
  if (problem !== null) throw unusable(problem)
  const base = URL.parse(settings.url ?? searchProviders[settings.provider].base)
  if (base?.protocol !== "http:" && base?.protocol !== "https:") {
    throw unusable("its url in toolkeep.yaml is not an http:// or https:// address.")
  }
  using deadline = createDeadline(webLimits.searchMs, { signal })
  const agent = reachAgent(onlyTo(base), deadline.signal)
  try {
    const results = await collect({ ...asked, base }, input, { agent, signal: deadline.signal })
    return results
      .slice(0, input.limit)
      .map(({ title, url, snippet }) => ({ title: cut(title), url, snippet: cut(snippet) }))
  } catch (error) {
    throw deadline.isOver() ? unusable(`it took longer than ${webLimits.searchMs} ms.`) : error
  } finally {
    await agent.destroy()
  }
}

/** A person configured this place, wherever it is: it may be reached, and from here nothing else. */
function onlyTo({ hostname, port, protocol }: URL) {
  const place = `${hostname}:${port || (protocol === "https:" ? 443 : 80)}`
  return createEgressGuard({ reach: "none", private: [place] })
}

interface AskedAt extends Asked {
  readonly base: URL
}

/** Page after page until there are enough. Later pages are a bonus: one that fails only ends it. */
async function collect(asked: AskedAt, { query, limit }: SearchInput, options: SendOptions) {
  const found = new Map<string, SearchResult>()
  const { pages } = searchProviders[asked.settings.provider]
  for (let page = 0; page < pages && found.size < limit; page += 1) {
    const before = found.size
    try {
      const results = await askPage(asked, { query, count: limit, page }, options)
      for (const result of results) if (!found.has(result.url)) found.set(result.url, result)
    } catch (error) {
      if (page === 0) throw error
      break
    }
    if (found.size === before) break
  }
  return [...found.values()]
}

async function askPage(
  { settings, base, version }: AskedAt,
  wanted: SearchPage,
  options: SendOptions,
): Promise<readonly SearchResult[]> {
  const provider = searchProviders[settings.provider]
  const key = settings.key_from === undefined ? "" : (process.env[settings.key_from] ?? "")
  const request = provider.request(base, key.trim(), wanted)
  const headers = {
    "user-agent": `toolkeep/${version}`,
    "accept-encoding": acceptedEncodings,
    ...request.headers,
  }
  const response = await sendRequest({ ...request, headers }, options)
  const maxBytes = webLimits.searchBytes
  const { bytes } = await readBody(response, { maxBytes, signal: options.signal })
  if (response.status !== 200) throw unusable(`it answered with the status ${response.status}.`)
  const results = provider.results(parsed(bytes))
  if (results === null) throw unusable("its answer is not a list of results.")
  return results
}

function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes))
  } catch {
    return null
  }
}

function cut(text: string): string {
  const most = webLimits.snippetCharacters
  return text.length > most ? `${text.slice(0, most)}…` : text
}

function unusable(message: string): ToolFailure {
  return new ToolFailure({ kind: "unavailable", message })
}
