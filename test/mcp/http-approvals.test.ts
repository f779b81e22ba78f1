import { afterAll, beforeAll, expect, it } from "vitest"
import { limits } from "../../src/contract/index.ts"
import { type ManualClock, manualClock } from "../support/manual-clock.ts"
import { type HttpGround, openHttpGround } from "./http-ground.ts"
import { connectOlder, newer, type RawAnswer, send } from "./raw-client.ts"

const second = "another-token-of-the-test"

let clock: ManualClock
let ground: HttpGround
beforeAll(async () => {
  clock = manualClock()
  ground = await openHttpGround({
    policy: { tools: { policy: "full", hooks: { confirm: ["file.write"] } } },
    token: second,
    clock,
  })
})
afterAll(() => ground[Symbol.asyncDispose]())

const capabilities = { elicitation: { form: {} } }
const accept = { action: "accept", content: {} }
const asked = { path: "a.txt", content: "asked about" }

async function resultOf(answering: Promise<RawAnswer>) {
  const answer = await answering
  await answer.ended
  const message = answer.messages().at(-1)
  return message?.result ?? message
}

const refusal = {
  kind: "unavailable",
  message: expect.stringMatching(/Nothing waits for this answer/),
}

/** One call of a newer client's, which brings an answer where there is a state. */
function write(
  input: object,
  more: { readonly requestState?: string; readonly inputResponses?: object } = {},
  { name = "asker", token = ground.token } = {},
) {
  const params = { name: "file_write", arguments: input, ...more }
  return resultOf(send({ ...ground, token }, newer("tools/call", params, { name, capabilities })))
}

const written = async () =>
  (
    await resultOf(
      send(
        ground,
        newer("tools/call", { name: "file_read", arguments: { path: "a.txt" } }, { name: "asker" }),
      ),
    )
  ).structuredContent

it("Y11: a yes is for the call that was asked about, from the client that was asked, and once", async () => {
  const question = await write(asked)
  expect(question).toMatchObject({ resultType: "input_required" })
  expect(question.inputRequests.approval.params.message).toContain('"content": "asked about"')
  const yes = { requestState: question.requestState, inputResponses: { approval: accept } }
  const others = await Promise.all([
    write({ ...asked, content: "something else" }, yes),
    write({ ...asked, path: "b.txt" }, yes),
  ])
  for (const { structuredContent, isError } of others) {
    expect([isError, structuredContent]).toEqual([true, expect.objectContaining(refusal)])
  }
  const forged = await Promise.all([
    write(asked, { ...yes, requestState: `${yes.requestState}x` }),
    write(asked, yes, { name: "another client" }),
    write(asked, yes, { token: second }),
  ])
  for (const { error } of forged) expect(error).toMatchObject({ code: -32_602 })
  expect(await written()).toMatchObject({ kind: "not_found" })
  expect((await write(asked, yes)).structuredContent).toMatchObject({ ok: true })
  expect((await write(asked, yes)).structuredContent).toMatchObject(refusal)
  expect(await written()).toMatchObject({ result: { text: "asked about" } })
})

it("Y11: an answer that is none is a no", async () => {
  for (const inputResponses of [{}, { approval: { action: "decline" } }, { other: accept }]) {
    const { requestState } = await write(asked)
    const { structuredContent } = await write(asked, { requestState, inputResponses })
    expect(structuredContent).toMatchObject({ ok: false, kind: "user_denied" })
  }
})

it("Y11: a question that nobody answers expires, also for who answers later", async () => {
  const { requestState } = await write(asked)
  const ended = ground.events.length
  clock.advance(limits.approvalMs)
  await expect
    .poll(() => ground.events.slice(ended).at(-1))
    .toMatchObject({
      kind: "call-ended",
      envelope: {
        kind: "unavailable",
        message: "Nobody answered the request for approval in time.",
      },
    })
  const late = await write(asked, { requestState, inputResponses: { approval: accept } })
  expect(late.structuredContent).toMatchObject(refusal)
})

/** A call of an older client's that waits for the answer to a question. */
async function askOlder() {
  const session = await connectOlder(ground, capabilities)
  const params = { name: "file_write", arguments: asked }
  const call = await session.post({ id: 5, method: "tools/call", params })
  const question = () => call.messages().find(({ method }) => method === "elicitation/create")
  await expect.poll(question).toBeDefined()
  const id = question()?.id
  const answer = (said: object, from = session) => from.post({ id, ...said })
  const result = async () => {
    await call.ended
    return call.messages().at(-1)?.result.structuredContent
  }
  return { session, call, answer, result }
}

it("Y11: an older client's question is answered by that client alone, and once", async () => {
  const stranger = await connectOlder(ground, capabilities)
  const { answer, result } = await askOlder()
  const before = ground.events.length
  expect((await answer({ result: accept }, stranger)).status).toBe(202)
  expect(ground.events.slice(before)).toEqual([])
  await answer({ result: { action: "decline" } })
  await answer({ result: accept })
  expect(await result()).toMatchObject({ kind: "user_denied" })
})

it("Y11: an older client that answers with an error, or never, gets an envelope and is told that the question is over", async () => {
  const failing = await askOlder()
  await failing.answer({ error: { code: -32603, message: "No window to ask in." } })
  expect(await failing.result()).toMatchObject({
    ok: false,
    kind: "rejected",
    message: expect.stringContaining("did not show the question to a person"),
  })
  const silent = await askOlder()
  clock.advance(limits.approvalMs)
  expect(await silent.result()).toMatchObject({
    kind: "unavailable",
    message: "Nobody answered the request for approval in time.",
  })
  const methods = silent.call.messages().map(({ method }) => method)
  expect(methods).toContain("notifications/cancelled")
})
