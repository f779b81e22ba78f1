import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it, onTestFinished } from "vitest"
import { scriptedModel } from "../../test/support/agent/scripted-model.ts"
import type { Approver } from "../runtime/index.ts"
import { openToolkeep } from "../session/index.ts"
import { openRecord } from "../store/index.ts"
import { createAgent } from "./index.ts"

/** A run with one call about which a person is asked; gives what the model reads, and what the person was asked. */
async function runAsked(edited: string) {
  const home = mkdtempSync(join(tmpdir(), "toolkeep-person-"))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  await using toolkeep = await openToolkeep({
    ...{ host: "memory", home, record: true },
    policy: {
      tools: {
        rules: [{ deny: "shell.exec", when: { command: "secret" } }],
        hooks: { confirm: ["shell.exec"] },
      },
    },
  })
  const asked: unknown[] = []
  const approve: Approver = async ({ input }) => {
    asked.push(input)
    return { kind: "edited", input: { command: edited } }
  }
  const model = scriptedModel([
    { calls: [{ tool: "shell_exec", input: { command: "echo first" } }] },
    { text: "Done." },
  ])
  const { result } = createAgent({ model, approve }).run(toolkeep.session("demo"), "Go.")
  expect(await result).toMatchObject({ why: "finished" })
  return { asked, read: JSON.stringify(model.requests[1]?.prompt.at(-1)) }
}

it("X7: what a person has written instead runs without a second question", async () => {
  const { asked, read } = await runAsked("echo edited")
  expect(asked).toEqual([{ command: "echo first" }])
  expect(read).toContain("edited")
})

it("X7: what the policy denies stays denied, also when a person has written it", async () => {
  const { asked, read } = await runAsked("echo secret")
  expect(asked).toHaveLength(1)
  expect(read).toContain("rejected")
  expect(read).not.toContain('value":"secret')
})

it("X7: another rule asks about what a person has written, also where questions wait in the record", async () => {
  const home = mkdtempSync(join(tmpdir(), "toolkeep-person-"))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  await using store = await openRecord({ file: join(home, "record.sqlite") })
  const rules = ["first", "remove"].map((command) => ({ ask: "shell.exec", when: { command } }))
  await using toolkeep = await openToolkeep({
    ...{ host: "memory", home, record: store, policy: { tools: { rules } } },
  })
  const session = toolkeep.session("demo")
  const record = await session.record?.()
  const model = scriptedModel([
    { calls: [{ tool: "shell_exec", input: { command: "echo first" } }] },
    { text: "Done." },
  ])
  const agent = createAgent({ model })
  const waiting = async () => {
    const open = (await record?.openQuestions()) ?? []
    return open.filter(({ answer }) => answer === null)
  }
  const commands = async () => (await waiting()).map(({ body }) => Object(body).input.command)
  const answer = async (said: unknown) => {
    const [question] = await waiting()
    await store.answer(question?.id ?? "", said)
    return agent.resume(session).result
  }
  const edit = (command: string) => ({ kind: "edited", input: { command }, by: "phone" })
  expect(await agent.run(session, "Go.").result).toMatchObject({ why: "waiting" })
  expect(await commands()).toEqual(["echo first"])
  expect(await answer(edit("echo remove one"))).toMatchObject({ why: "waiting" })
  expect(await commands()).toEqual(["echo remove one"])
  // Back to what was asked first: that is another question, and not an answer to the one before.
  expect(await answer(edit("echo first"))).toMatchObject({ why: "waiting" })
  expect(await commands()).toEqual(["echo first"])
  expect(await answer(edit("echo remove two"))).toMatchObject({ why: "waiting" })
  expect(await answer({ kind: "approved", by: "phone" })).toMatchObject({ why: "finished" })
  const read = JSON.stringify(model.requests[1]?.prompt.at(-1))
  expect(read).toContain("remove two")
  expect(await record?.openQuestions()).toEqual([])
})
