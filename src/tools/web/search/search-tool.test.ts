import type { ServerResponse } from "node:http"
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest"
import { localBench, resultOf } from "../../../../test/support/tools/tool-bench.ts"
import { fixed, openWeb, type Web } from "../../../../test/support/tools/web-fixture.ts"
import type { ProviderSettings } from "./providers.ts"

const json = (value: unknown) => fixed(JSON.stringify(value), "application/json")
const found = (number: number) => ({
  title: `Duck ${number}`,
  url: `https://ducks.example/${number}`,
  content: `About <b>duck</b>\n ${number}`,
})
const status = (code: number) => (response: ServerResponse) =>
  response.writeHead(code, { "content-type": "text/plain" }).end("the key k3y is wrong")

let web: Web
beforeAll(async () => {
  web = await openWeb({
    "/searx/search": (response, { url = "" }) => {
      const page = Number(new URL(url, "http://server").searchParams.get("pageno"))
      const results =
        page > 2 ? [] : Array.from({ length: 7 }, (_, index) => found(page * 10 + index))
      // The second page repeats one of the first.
      json({ results: [...results, found(10), { title: "no", url: "javascript:alert(1)" }] })(
        response,
        {} as never,
      )
    },
    "/quiet/search": json({ results: [], unresponsive_engines: [["bing", "timeout"]] }),
    "/empty/search": json({ results: [], unresponsive_engines: [] }),
    "/html/search": fixed("<p>not today</p>"),
    "/wrong/search": status(401),
    "/wrong/res/v1/web/search": status(429),
    "/moved/search": (response) =>
      response.writeHead(302, { location: "http://127.0.0.1:1/" }).end(),
    "/res/v1/web/search": json({
      type: "search",
      web: {
        results: [
          {
            title: "A <strong>duck</strong>",
            url: "https://a.example/",
            description: "d".repeat(600),
          },
        ],
      },
    }),
    "/search": json({ results: [found(1), found(2)] }),
  })
})
afterAll(() => web[Symbol.asyncDispose]())
afterEach(() => vi.unstubAllEnvs())

async function search(providers: readonly ProviderSettings[], input: object = { query: "ducks" }) {
  await using bench = await localBench.open({
    settings: { search: providers, network: { reach: "none" } },
  })
  return bench.call("web.search", input)
}

const searxng = (path: string): ProviderSettings => ({
  provider: "searxng",
  url: `${web.origin}${path}`,
})

describe("web.search", () => {
  it("Y14.search: asks SearXNG, page after page until there are enough, each address once", async () => {
    const envelope = await search([searxng("/searx/")], { query: "ducks & more", limit: 12 })
    expect(envelope).toMatchObject({
      ok: true,
      result: { kind: "search", query: "ducks & more", provider: "searxng", result_count: 12 },
    })
    const { results } = resultOf(envelope)
    expect(results[0]).toEqual({
      title: "Duck 10",
      url: "https://ducks.example/10",
      snippet: "About duck 10",
    })
    expect(new Set(results.map(({ url }) => url)).size).toBe(12)
    expect(web.asked.slice(-2).map(({ message }) => message.url)).toEqual([
      "/searx/search?q=ducks+%26+more&format=json&pageno=1",
      "/searx/search?q=ducks+%26+more&format=json&pageno=2",
    ])
  })

  it("Y14: asks Brave and Tavily with the key of the environment", async () => {
    vi.stubEnv("DUCK_KEY", "k3y")
    const settings = { url: web.origin, key_from: "DUCK_KEY" }
    expect(await search([{ provider: "brave", ...settings }])).toMatchObject({
      ok: true,
      result: {
        provider: "brave",
        results: [{ title: "A duck", url: "https://a.example/", snippet: `${"d".repeat(500)}…` }],
      },
    })
    expect(web.asked.at(-1)?.message.headers).toMatchObject({ "x-subscription-token": "k3y" })
    const limit = 2
    expect(
      await search([{ provider: "tavily", ...settings }], { query: "ducks", limit }),
    ).toMatchObject({
      ok: true,
      result: { provider: "tavily", result_count: 2 },
    })
    const { message, body } = web.asked.at(-1) ?? {}
    expect([message?.method, message?.headers.authorization]).toEqual(["POST", "Bearer k3y"])
    expect(JSON.parse(body ?? "")).toEqual({ query: "ducks", max_results: 2 })
  })

  it("Y14: asks the next one when one fails, says which failed, and tells no key", async () => {
    vi.stubEnv("DUCK_KEY", "k3y")
    vi.stubEnv("NO_KEY", "")
    const envelope = await search([
      { provider: "brave", key_from: "NO_KEY" },
      { provider: "brave", url: `${web.origin}/wrong`, key_from: "DUCK_KEY" },
      searxng("/html"),
      searxng("/quiet"),
      searxng("/moved"),
      { provider: "searxng", url: "http://127.0.0.1:1" },
      { provider: "searxng", url: "file:///etc/passwd" },
      { provider: "tavily", url: web.origin, key_from: "DUCK_KEY" },
    ])
    expect(envelope).toMatchObject({
      ok: true,
      result: { provider: "tavily", result_count: 2 },
      warnings: [
        "brave did not answer: brave needs its key in the environment variable NO_KEY.",
        "brave did not answer: it answered with the status 429.",
        "searxng did not answer: its answer is not a list of results.",
        "searxng did not answer: its answer is not a list of results.",
        "searxng did not answer: it answered with the status 302.",
        expect.stringMatching(/^searxng did not answer: 127\.0\.0\.1:1 could not be reached/),
        "searxng did not answer: its url in toolkeep.yaml is not an http:// or https:// address.",
      ],
    })
    expect(JSON.stringify(envelope)).not.toContain("k3y")
  })

  it("Y14: nothing found is an answer; nobody who answers is unavailable, with every reason", async () => {
    expect(await search([searxng("/empty")])).toMatchObject({
      ok: true,
      result: { results: [], result_count: 0 },
    })
    expect(await search([searxng("/wrong"), searxng("/html")])).toEqual({
      ok: false,
      tool: "web.search",
      kind: "unavailable",
      message:
        "searxng did not answer: it answered with the status 401. searxng did not answer: its answer is not a list of results.",
      retryable: true,
    })
  })

  it("Y14: says what to configure while there is nobody to ask", async () => {
    vi.stubEnv("NO_KEY", "")
    const unconfigured = async (providers: readonly ProviderSettings[]) => {
      const envelope = await search(providers)
      return envelope.ok ? "answered" : `${envelope.kind}: ${envelope.message}`
    }
    expect(await unconfigured([])).toMatch(
      /^unavailable: web\.search needs a provider: write `search: .*toolkeep\.yaml\.$/,
    )
    expect(await unconfigured([{ provider: "searxng" }])).toBe(
      "unavailable: searxng needs its url in toolkeep.yaml.",
    )
    expect(await unconfigured([{ provider: "tavily", key_from: "NO_KEY" }])).toBe(
      "unavailable: tavily needs its key in the environment variable NO_KEY.",
    )
    expect(await unconfigured([{ provider: "tavily" }])).toMatch(/key_from/)
  })
})
