import { createServer } from "node:net"
import { createServer as createTlsServer } from "node:tls"
import type { LanguageModelV4 } from "@ai-sdk/provider"
import { describe, expect, it } from "vitest"
import { manualClock } from "../../../test/support/manual-clock.ts"
import type { WireAnswer, WirePart } from "../../../test/support/model-wire/answer.ts"
import { ask, callsOf, resultsOf, user } from "../../../test/support/model-wire/ask.ts"
import {
  openWireModel,
  wireKey,
  wireModelId,
  wireNames,
} from "../../../test/support/model-wire/open-wire-model.ts"
import { startModelWire } from "../../../test/support/model-wire/start-model-wire.ts"
import { standInCertificate } from "../../../test/support/sandbox/stand-in-certificate.ts"
import { listenOnLoopback } from "../../node/index.ts"
import type { ModelAnswer, ModelDelta } from "./index.ts"

const go = [user("The secret of the conversation.")]

describe.each(wireNames)("a model that fails over the wire %s", (name) => {
  async function start(...answers: readonly WireAnswer[]) {
    const wire = await startModelWire(...answers)
    const model = await openWireModel(name, wire.url)
    return { wire, model, id: wireModelId(name, wire.url) }
  }

  it.each([
    [401, `Incorrect API key provided: ${wireKey}.`, "unavailable", "did not accept the API key"],
    [403, "Your key may not use this.", "unavailable", "denied access"],
    [404, "The model does not exist.", "not_found", "was not found"],
    [400, "temperature: too hot.", "execution_error", "refused the request"],
    [402, "Your balance is too low.", "unavailable", "has no credit left"],
  ] as const)(
    "says what a %d means, once, without the key and the request",
    async (status, message, kind, words) => {
      const { wire, model, id } = await start({ status, message })
      await using _ = wire
      const answer = await ask(model, go)
      expect(answer).toMatchObject({ kind: "failed", failure: { kind, retryable: false } })
      const said = sentence(answer)
      expect(said.startsWith(`${id} ${words} (${status}): `)).toBe(true)
      expect(wire.requests).toHaveLength(1)
      expectNoSecret(answer)
    },
  )

  it.each([429, 500, 503, 529])("is asked again after a %d, and answers", async (status) => {
    const { wire, model } = await start(
      { status, message: "Not now." },
      { status, message: "Not now." },
      { parts: [{ text: "Now." }] },
    )
    await using _ = wire
    const { answer, pauses } = await askInTime(model)
    expect(answer).toMatchObject({ kind: "answered", message: { content: [{ text: "Now." }] } })
    expect(pauses).toHaveLength(2)
    expect(pauses[0]).toBeGreaterThanOrEqual(750)
    expect(pauses[1]).toBeGreaterThan(pauses[0] ?? 0)
  })

  it("waits as long as the provider wants, and gives the caller a pause that is too long", async () => {
    const retryAfter = (seconds: string) => ({ "retry-after": seconds })
    const message = "Slow down."
    const { wire, model, id } = await start(
      { status: 429, message, headers: retryAfter("7") },
      { status: 429, message, headers: { "retry-after-ms": "1500" } },
      { status: 429, message, headers: retryAfter("3600") },
    )
    await using _ = wire
    const { answer, pauses } = await askInTime(model)
    expect(pauses).toEqual([7000, 1500])
    expect(answer).toEqual({
      kind: "failed",
      retryAfterMs: 3_600_000,
      failure: {
        kind: "unavailable",
        message: `${id} limits how much it answers (429): Slow down. Try again in 3600 s.`,
        retryable: true,
      },
    })
  })

  it("gives up after four more requests", async () => {
    const { wire, model } = await start(
      ...Array.from({ length: 9 }, () => ({ status: 500, message: "Oops." })),
    )
    await using _ = wire
    const { answer, pauses } = await askInTime(model)
    expect(answer).toMatchObject({ kind: "failed", failure: { kind: "unavailable" } })
    expect(pauses).toHaveLength(4)
    expect(wire.requests).toHaveLength(5)
  })

  it("is not reachable: one sentence names the reason", async () => {
    const closed = createServer()
    const port = await listenOnLoopback(closed, 0, true)
    await new Promise((resolve) => closed.close(resolve))
    const url = `http://127.0.0.1:${port}`
    const { answer, pauses } = await askInTime(await openWireModel(name, url))
    expect(pauses).toHaveLength(4)
    expect(answer).toMatchObject({ kind: "failed", failure: { kind: "unavailable" } })
    expect(sentence(answer)).toMatch(/ can't be reached: .*ECONNREFUSED.*\. Check the address/)
    expectNoSecret(answer)
  })

  it("at a port that HTTP clients refuse is asked once, and one sentence says what to change", async () => {
    const model = await openWireModel(name, "http://127.0.0.1:6000")
    const { answer, pauses } = await askInTime(model)
    expect(pauses).toEqual([])
    expect(answer).toMatchObject({ kind: "failed", failure: { retryable: false } })
    expect(sentence(answer)).toMatch(
      / can't be reached: bad port\. HTTP clients refuse this port: let the server listen on another one\.$/,
    )
    expectNoSecret(answer)
  })

  it("without TLS, and with a certificate that nobody trusts, says what to change", async () => {
    const plain = createServer((socket) => {
      socket.on("error", () => {})
      socket.end("HTTP/1.1 400 Bad Request\r\n\r\n")
    })
    const trusted = createTlsServer(standInCertificate)
    try {
      const ports = [
        await listenOnLoopback(plain, 0, true),
        await listenOnLoopback(trusted, 0, true),
      ]
      const said = await Promise.all(
        ports.map(async (port) => {
          const model = await openWireModel(name, `https://127.0.0.1:${port}`)
          const { answer, pauses } = await askInTime(model)
          expect(pauses).toEqual([])
          expect(answer).toMatchObject({ kind: "failed", failure: { retryable: false } })
          return sentence(answer)
        }),
      )
      expect(said[0]).toMatch(/: ERR_SSL_\w+\. The server does not speak TLS there: write http:/)
      expect(said[1]).toMatch(/ does not trust the server's certificate: set NODE_EXTRA_CA_CERTS /)
    } finally {
      plain.close()
      trusted.close()
    }
  })

  const text: WirePart = { text: "I write." }
  const whole: WirePart = { call: "file_read", arguments: '{"path":"a"}' }
  const open: WirePart = { call: "file_write", arguments: '{"path":"b","te', open: true }

  it.each([
    ["stops without an end", "stop", / stopped before its end\. /],
    ["breaks", "break", / can't be reached: | stopped before its end\. /],
    ["has a line that is not JSON", "garbage", / sent an answer that can't be read\. /],
    [
      "carries an error",
      { error: { code: "server_error", message: `The key ${wireKey} made it fail.` } },
      / failed(?: \(500\))?: The key \[\w+\] made it fail\. Try again later\./,
    ],
  ] as const)("that %s inside of arguments leaves what had come", async (_what, ending, words) => {
    const { wire, model } = await start(
      { parts: [text, whole, open], ending },
      { parts: [{ text: "Again." }] },
    )
    await using _ = wire
    const answer = await ask(model, go)
    if (answer.kind !== "failed" || !answer.partial) expect.fail(JSON.stringify(answer))
    expect(answer.failure.message).toMatch(words)
    const { message, cutOff } = answer.partial
    expect(message.content[0]).toMatchObject(text)
    const calls = callsOf(message)
    expect(calls.map(({ tool, input }) => [tool, input])).toEqual([
      ["file_read", '{"path":"a"}'],
      ["file_write", '{"path":"b","te'],
    ])
    expect(cutOff).toContain(calls[1]?.id)
    expect(["interrupted", "error"]).toContain(message.finish)
    expectNoSecret(answer)
    // The conversation goes on with it.
    const next = await ask(model, [...go, message, resultsOf(message), user("Go on.")])
    expect(next).toMatchObject({ kind: "answered" })
  })

  it("that ends before it has begun is asked again", async () => {
    const { wire, model } = await start(
      { parts: [], ending: "stop" },
      { parts: [], ending: { error: { code: "overloaded_error", message: "Overloaded" } } },
      { parts: [], ending: "break" },
      { parts: [{ text: "Here." }] },
    )
    await using _ = wire
    const { answer } = await askInTime(model)
    expect(answer).toMatchObject({ kind: "answered", message: { content: [{ text: "Here." }] } })
  })

  it("that hangs is given up, with what had come, and its connection ends", async () => {
    const { wire, model, id } = await start({ parts: [text, open], ending: "hang" })
    await using _ = wire
    const clock = manualClock()
    const heard = Promise.withResolvers<void>()
    const onDelta = (delta: ModelDelta) => {
      if (delta.kind === "call-input" && delta.text.endsWith("te")) heard.resolve()
    }
    const asked = ask(model, go, { clock, idleMs: 30_000, onDelta })
    await heard.promise
    await until(asked, () => clock.advance(30_000))
    expect(await asked).toMatchObject({
      kind: "failed",
      failure: { kind: "timeout", message: `${id} sent nothing for 30 s. Try again.` },
      partial: { message: { content: [text, { tool: "file_write" }], finish: "interrupted" } },
    })
    await expect.poll(() => wire.hangUps).toBe(1)
  })

  it("that never answers at all is given up", async () => {
    const { wire, model } = await start({ silence: true })
    await using _ = wire
    const clock = manualClock()
    const asked = ask(model, go, { clock, idleMs: 30_000 })
    await expect.poll(() => wire.requests.length).toBe(1)
    clock.advance(30_000)
    expect(await asked).toMatchObject({ kind: "failed", failure: { kind: "timeout" } })
    await expect.poll(() => wire.hangUps).toBe(1)
  })

  it("and is aborted: what had come stays, the connection ends, and nothing is asked again", async () => {
    const { wire, model } = await start({ parts: [text, whole, open], ending: "hang" })
    await using _ = wire
    const controller = new AbortController()
    const onDelta = (delta: ModelDelta) => {
      if (delta.kind === "call-input" && delta.text.endsWith("te")) controller.abort()
    }
    const answer = await ask(model, go, { signal: controller.signal, onDelta })
    if (answer.kind !== "aborted") expect.fail(JSON.stringify(answer))
    expect(answer.message).toMatchObject({
      finish: "aborted",
      content: [text, { tool: "file_read" }, { tool: "file_write", input: '{"path":"b","te' }],
    })
    expect(answer.cutOff).toContain(callsOf(answer.message)[1]?.id)
    await expect.poll(() => wire.hangUps).toBe(1)
    expect(wire.requests).toHaveLength(1)
  })

  it("and is aborted before the request or in a pause: there is nothing to keep", async () => {
    const { wire, model } = await start({ status: 529, message: "Overloaded" })
    await using _ = wire
    expect(await ask(model, go, { signal: AbortSignal.abort() })).toMatchObject({
      kind: "aborted",
      message: { content: [] },
    })
    expect(wire.requests).toHaveLength(0)
    const controller = new AbortController()
    const onDelta = ({ kind }: ModelDelta) => kind === "retry" && controller.abort()
    const { signal } = controller
    expect(await ask(model, go, { signal, onDelta, clock: manualClock() })).toMatchObject({
      kind: "aborted",
      message: { content: [] },
    })
  })

  it.each([
    ["prompt is too long: 215,123 tokens > 200000 maximum", undefined, 200_000],
    [
      "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens.",
      "context_length_exceeded",
      8192,
    ],
    ["Your input exceeds the context window of this model.", "context_length_exceeded", undefined],
    ["the request exceeds the available context size (4096 tokens)", undefined, 4096],
  ])("X8: knows that the conversation is too long: %s", async (message, code, limit) => {
    const { wire, model, id } = await start({ status: 400, message, ...(code ? { code } : {}) })
    await using _ = wire
    const answer = await ask(model, go)
    expect(answer).toMatchObject({ kind: "overflow", ...(limit === undefined ? {} : { limit }) })
    expect(sentence(answer)).toContain(id)
    expectNoSecret(answer)
  })

  it("X8: knows it too when the stream says it", async () => {
    const error = { code: "context_length_exceeded", message: "Your input is too long." }
    const { wire, model } = await start({ parts: [], ending: { error } })
    await using _ = wire
    expect(await ask(model, go)).toMatchObject({ kind: "overflow" })
  })
})

/** Lets each pause pass at once. */
async function askInTime(model: LanguageModelV4) {
  const clock = manualClock()
  const pauses: number[] = []
  const onDelta = (delta: ModelDelta) => {
    if (delta.kind !== "retry") return
    pauses.push(delta.afterMs)
    setImmediate(() => clock.advance(delta.afterMs))
  }
  return { answer: await ask(model, go, { clock, onDelta }), pauses }
}

/** Repeats an action until the promise settles. */
async function until(promise: Promise<unknown>, action: () => void): Promise<void> {
  let isSettled = false
  const settle = () => {
    isSettled = true
  }
  promise.then(settle, settle)
  await expect
    .poll(() => {
      action()
      return isSettled
    })
    .toBe(true)
}

function sentence(answer: ModelAnswer): string {
  if (answer.kind === "failed") return answer.failure.message
  return answer.kind === "overflow" ? answer.message : expect.fail(JSON.stringify(answer))
}

function expectNoSecret(answer: ModelAnswer): void {
  const said = JSON.stringify(answer)
  expect(said).not.toContain(wireKey)
  expect(said).not.toContain("The secret of the conversation.")
}
