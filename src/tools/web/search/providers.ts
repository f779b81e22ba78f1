import type { Settings } from "../../../config/index.ts"
import { isObject } from "../../../contract/index.ts"
import { trimEndOf } from "../../../kit/index.ts"
import type { WebRequest } from "../web-request.ts"

/** One line of the section `search` of toolkeep.yaml. */
export type ProviderSettings = NonNullable<Settings["search"]>[number]

export interface SearchResult {
  readonly title: string
  readonly url: string
  readonly snippet: string
}

export interface SearchPage {
  readonly query: string
  /** How many are still wanted. */
  readonly count: number
  /** From 0. */
  readonly page: number
}

/** How one search service is asked, and where the results are in its answer. */
export interface SearchProvider {
  /** Where it is unless the settings say otherwise. */
  readonly base: string
  /** How many pages it can be asked for. */
  readonly pages: number
  request(base: URL, key: string, wanted: SearchPage): WebRequest
  /** Null for an answer that is not a list of results. */
  results(answer: unknown): readonly SearchResult[] | null
}

const searxng: SearchProvider = {
  base: "",
  pages: 5,
  request: (base, key, { query, page }) => ({
    url: at(base, "search", { q: query, format: "json", pageno: String(page + 1) }),
    method: "GET",
    headers: key === "" ? {} : { authorization: `Bearer ${key}` },
    body: undefined,
  }),
  results(answer) {
    const found = listIn(answer, "results", "content")
    const isSilent = isObject(answer) && lengthOf(answer.unresponsive_engines) > 0
    // An empty list because no engine was reached is not an answer.
    return found?.length === 0 && isSilent ? null : found
  },
}

const brave: SearchProvider = {
  base: "https://api.search.brave.com",
  pages: 3,
  request: (base, key, { query, count, page }) => ({
    url: at(base, "res/v1/web/search", {
      ...{ q: query, count: String(Math.min(count, 20)), offset: String(page) },
      text_decorations: "false",
    }),
    method: "GET",
    headers: { "x-subscription-token": key, accept: "application/json" },
    body: undefined,
  }),
  // Without the part, nothing was found.
  results: (answer) =>
    isObject(answer) && answer.web === undefined && answer.type === "search"
      ? []
      : listIn(isObject(answer) ? answer.web : null, "results", "description"),
}

const tavily: SearchProvider = {
  base: "https://api.tavily.com",
  pages: 1,
  request: (base, key, { query, count }) => ({
    url: at(base, "search", {}),
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ query, max_results: Math.min(count, 20) }),
  }),
  results: (answer) => listIn(answer, "results", "content"),
}

export const searchProviders: Readonly<Record<ProviderSettings["provider"], SearchProvider>> = {
  searxng,
  brave,
  tavily,
}

function at(base: URL, path: string, parameters: Readonly<Record<string, string>>): URL {
  const url = new URL(base)
  url.pathname = `${trimEndOf(url.pathname, "/")}/${path}`
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  return url
}

function listIn(answer: unknown, list: string, snippet: string): readonly SearchResult[] | null {
  const entries = isObject(answer) ? answer[list] : null
  if (!Array.isArray(entries)) return null
  return entries.filter(isObject).flatMap((entry) => {
    const url = typeof entry.url === "string" ? URL.parse(entry.url) : null
    if (url?.protocol !== "http:" && url?.protocol !== "https:") return []
    return [{ title: plain(entry.title), url: url.href, snippet: plain(entry[snippet]) }]
  })
}

function plain(value: unknown): string {
  const text = typeof value === "string" ? value : ""
  return text
    .replace(/<\/?(strong|b|em|i|mark)>/gi, "")
    .replace(/\s+/g, " ")
    .trim()
}

function lengthOf(value: unknown): number {
  return Array.isArray(value) ? value.length : 0
}

/** Why a provider can't even be asked. */
export function providerProblem({ provider, url, key_from: key }: ProviderSettings): string | null {
  if (provider === "searxng") {
    return url === undefined ? "searxng needs its url in toolkeep.yaml." : null
  }
  if (key === undefined) {
    return `${provider} needs key_from in toolkeep.yaml: the environment variable that holds its key.`
  }
  return process.env[key] ? null : `${provider} needs its key in the environment variable ${key}.`
}
