import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it, onTestFinished } from "vitest"
import { scriptedModel } from "../../../test/support/agent/scripted-model.ts"
import { createAgent } from "../../agent/index.ts"
import { systemClock } from "../../kit/index.ts"
import { openToolkeep } from "../../session/index.ts"
import { openRecord } from "../../store/index.ts"
import { createRuns } from "./runs.ts"

it("F18, X2: who asks the agent of a session at the same moment talks to one run, which can be aborted", async () => {
  const home = mkdtempSync(join(tmpdir(), "toolkeep-runs-"))
  const store = await openRecord({ file: join(home, "record.sqlite") })
  const keep = await openToolkeep({ host: "memory", home, record: store })
  onTestFinished(async () => {
    await keep.close()
    await store.close()
    rmSync(home, { recursive: true, force: true })
  })
  const answer = Promise.withResolvers<void>()
  const model = scriptedModel(async () => {
    await answer.promise
    return { text: "Done." }
  })
  const runs = createRuns({
    agent: { open: async () => ({ model: "scripted", agent: createAgent({ model }) }) },
    ...{ store, clock: systemClock, onAnswered: () => () => {} },
    session: (name) => keep.session(name),
  })
  const session = keep.session("work")
  const started = ["one", "two", "three"].map((said) => runs.start(session, said))
  expect(await Promise.all(started)).toEqual(["started", "told", "told"])
  await expect.poll(() => model.requests.length, { timeout: 30_000 }).toBe(1)
  expect([runs.has("work"), runs.abort("work")]).toEqual([true, true])
  answer.resolve()
  await expect.poll(() => runs.has("work"), { timeout: 30_000 }).toBe(false)
  expect(model.requests).toHaveLength(1)
  await runs.close()
})
