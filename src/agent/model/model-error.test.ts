import { APICallError } from "@ai-sdk/provider"
import { describe, expect, it } from "vitest"
import { describeProblem } from "./describe-problem.ts"
import { findOverflow } from "./find-overflow.ts"
import { readProblem } from "./model-error.ts"

const requestBodyValues = { messages: ["The secret of the conversation."] }

function apiError(statusCode: number, body: unknown, message = "Bad Request") {
  const responseBody = typeof body === "string" ? body : JSON.stringify(body)
  return new APICallError({
    message,
    url: "https://host",
    requestBodyValues,
    statusCode,
    responseBody,
  })
}

describe("what a provider says", () => {
  it.each([
    ["prompt is too long: 208310 tokens > 200000 maximum", 200_000],
    [
      "input length and `max_tokens` exceed context limit: 190000 + 32000 > 200000, decrease",
      200_000,
    ],
    ["This model's maximum context length is 128000 tokens. However, your messages", 128_000],
    ["This endpoint's maximum context length is 1,048,576 tokens.", 1_048_576],
    ["The decoder prompt (length 5000) is longer than the maximum model length of 4096.", 4096],
    [
      "request (5000 tokens) exceeds the available context size (4096 tokens), try increasing it",
      4096,
    ],
    ["the request exceeds the available context size, try increasing it", undefined],
    [
      "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
      1_048_576,
    ],
    [
      "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
      131_072,
    ],
    ["Prompt contains 40000 tokens, too large for model with 32768 maximum context length", 32_768],
    [
      "Request too large for gpt-4.1 in organization o on tokens per min (TPM): Limit 30000, Requested 41000.",
      30_000,
    ],
    ["Input is too long for requested model.", undefined],
    ["input length exceeds the context length", undefined],
  ])("X8: means an overflow: %s", (message, limit) => {
    const found = findOverflow(readProblem(apiError(400, { error: { message } })))
    expect(found).toEqual(limit === undefined ? {} : { limit })
  })

  it("X8: means an overflow by its code or its status alone", () => {
    const data = { error: { code: "context_length_exceeded", message: "No." } }
    const coded = Object.assign(apiError(400, data), { data })
    expect(findOverflow(readProblem(coded))).toEqual({})
    expect(findOverflow(readProblem(apiError(413, "")))).toEqual({})
  })

  it.each([
    [429, "Rate limit reached for gpt-5 on tokens per min (TPM): Limit 30000, Used 29000."],
    [400, "max_tokens: must be greater than 0"],
    [400, "messages.1: tool_use ids were found without tool_result blocks"],
  ])("X8: %d %s does not mean an overflow", (status, message) => {
    expect(findOverflow(readProblem(apiError(status, { error: { message } })))).toBe(null)
  })

  it.each([
    ["OpenAI's form", { error: { message: "Said." } }],
    ["a plain message", { message: "Said." }],
    ["Ollama's form", { error: "Said." }],
    ["FastAPI's form", { detail: "Said." }],
  ])("is found in %s", (_what, body) => {
    expect(readProblem(apiError(400, body)).words).toBe("Said.")
  })

  it("is quoted as one line, cut, without control characters and without what was sent", () => {
    const long = readProblem(apiError(400, { message: `a\n\u001b[2J${"b".repeat(900)}` })).words
    expect(long).toHaveLength(301)
    expect(long).not.toMatch(/[\n\u001b]/)
    const message = "[{'loc': 'messages', 'input': ['The secret of the conversation.']}]"
    expect(readProblem(apiError(400, { message })).words).toBe("[{'loc': 'messages', …")
    expect(JSON.stringify(readProblem(apiError(400, "")))).not.toContain("secret")
  })

  it("has no key in it, also where the key is not known", () => {
    const said = [
      "Incorrect API key provided: sk-proj-abc***********xyz9.",
      "invalid x-api-key sk-ant-api03-AbCdEfGh",
      "Header Authorization: Bearer eyJhbGciOi.J9.abc is expired",
    ].map((message) => readProblem(apiError(401, { message })).words)
    expect(said).toEqual([
      "Incorrect API key provided: [key]",
      "invalid x-api-key [key]",
      "Header Authorization: Bearer [key] is expired",
    ])
  })

  it("about an account without credit is not tried again, whatever its status", () => {
    const data = { error: { code: "insufficient_quota", message: "You exceeded your quota." } }
    const problem = readProblem(Object.assign(apiError(429, data), { data }))
    expect(describeProblem("openai/m", problem)).toEqual({
      kind: "unavailable",
      message:
        "openai/m has no credit left (429): You exceeded your quota. Check the billing of the account.",
      retryable: false,
    })
  })

  it.each([
    [{ "retry-after": "2.5" }, 2500],
    [{ "retry-after-ms": "80" }, 80],
    [{ "retry-after": "Thu, 01 Jan 1970 00:00:00 GMT" }, 0],
    [{ "retry-after": "soon" }, undefined],
    [{}, undefined],
  ])("with the headers %j asks for a pause", (responseHeaders: Record<string, string>, pause) => {
    const error = Object.assign(apiError(429, ""), { responseHeaders })
    expect(readProblem(error).retryAfterMs).toBe(pause)
  })

  it("may be anything that a program's own model throws", () => {
    for (const thrown of [null, undefined, "text", 7, {}, new Error("")]) {
      const { message } = describeProblem("own/m", readProblem(thrown))
      expect(message).toMatch(/^own\/m failed(?:: .+)?\. Try again later\.$/)
    }
  })
})

describe("a connection that fails", () => {
  const failed = (code: string, message = code) => {
    const cause = Object.assign(new Error(message), { code })
    return describeProblem("m", readProblem(new TypeError("fetch failed", { cause })))
  }

  it.each([
    ["ENOTFOUND", "No machine has this name: correct the host in the address."],
    ["ERR_INVALID_URL", "Correct the address."],
    ["CERT_HAS_EXPIRED", "Renew the server's certificate, or set the clock of this machine."],
    ["ERR_TLS_CERT_ALTNAME_INVALID", "use the name that it is for in the address."],
    ["DEPTH_ZERO_SELF_SIGNED_CERT", "NODE_EXTRA_CA_CERTS"],
  ])("with %s fails again, and says what to change", (code, advice) => {
    expect(failed(code)).toMatchObject({
      retryable: false,
      message: expect.stringContaining(advice),
    })
  })

  it.each(["ECONNREFUSED", "ECONNRESET", "EAI_AGAIN", "ETIMEDOUT"])(
    "with %s may work later",
    (code) => {
      expect(failed(code)).toMatchObject({
        retryable: true,
        message: expect.stringMatching(/^m can't be reached: .* then try again\.$/),
      })
    },
  )
})
