import { join } from "node:path"
import { expect, it } from "vitest"
import { answerEvents } from "../../src/http/events/answer-events.ts"
import { createQuestions } from "../../src/http/server/questions.ts"
import type { ApprovalRequest } from "../../src/runtime/index.ts"
import { openRecord } from "../../src/store/index.ts"
import { makeDirectory } from "../record/record-fixture.ts"
import { manualClock } from "../support/manual-clock.ts"

const gone = AbortSignal.abort(new Error("not wanted any more"))

it("F20: events for a client that has left by the time they are found end at once", async () => {
  async function* never() {
    yield await new Promise<never>(() => {})
  }
  const { signal: stopping } = new AbortController()
  const options = { signal: gone, clock: manualClock(), isValid: () => true, stopping }
  await expect(answerEvents(never(), options).ended).resolves.toBeUndefined()
})

it("Y16: a reader that takes nothing for a minute loses its connection, and nothing is produced for it", async () => {
  const clock = manualClock()
  let produced = 0
  async function* endless() {
    for (;;) {
      produced += 1
      yield { event: "entry", id: produced, data: {} }
    }
  }
  const { signal } = new AbortController()
  const isValid = () => true
  const { response, ended } = answerEvents(endless(), { signal, clock, isValid, stopping: signal })
  const reader = response.body?.getReader()
  const taken = await reader?.read()
  expect(new TextDecoder().decode(taken?.value)).toBe("event: entry\nid: 1\ndata: {}\n\n")
  clock.advance(59_000)
  await reader?.read()
  clock.advance(60_000)
  await ended
  await expect(reader?.read()).rejects.toThrow("takes nothing")
  expect(produced).toBe(2)
})

it("Y11: a question whose call is over by the time it is asked is not shown to people for ever", async () => {
  const store = await openRecord({ file: join(makeDirectory(), "record.sqlite") })
  const questions = createQuestions({ store, clock: manualClock() })
  questions.watch(() => {})
  const request = { tool: "file.write", input: {} } as unknown as ApprovalRequest
  await questions.approve(request, gone)
  expect(await questions.list()).toEqual([])
  await store.close()
})
