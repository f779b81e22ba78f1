import { expect, it } from "vitest"
import { defineTool, type Workspace } from "../contract/index.ts"
import { createPolicy } from "../policy/index.ts"
import { createRuntime } from "./index.ts"

const look = defineTool({
  name: "test.look",
  description: "Says where it is.",
  input: {
    type: "object",
    properties: { sandbox: { type: "string", description: "Where." } },
    additionalProperties: false,
  },
  sandbox: (input) => input.sandbox,
  run: async (_input, context) => (await context.workspace()).name,
})

const binding = { name: "home", workspace: async (name: string) => ({ name }) as Workspace }

it("C1: a call runs in the sandbox that its input names, or else in its own", async () => {
  const runtime = createRuntime({ tools: [look] })
  const where = (input: object) => runtime.call({ tool: "test.look", input, sandbox: binding })
  expect(await where({})).toMatchObject({ ok: true, result: "home" })
  expect(await where({ sandbox: "builder" })).toMatchObject({ ok: true, result: "builder" })
  expect(await runtime.call({ tool: "test.look", input: { sandbox: "builder" } })).toMatchObject({
    ok: false,
    kind: "unavailable",
  })
})

it("Y11: a person is asked about the sandbox that the call will really use", async () => {
  const asked: (string | null)[] = []
  const runtime = createRuntime({
    tools: [look],
    policy: createPolicy({ tools: { policy: "full", hooks: { confirm: ["test.look"] } } }),
    approve: async (question) => {
      asked.push(question.sandbox)
      return { kind: "approved", fingerprint: question.fingerprint }
    },
  })
  const calls = [{}, { sandbox: "builder" }].map((input) =>
    runtime.call({ tool: "test.look", input, sandbox: binding }),
  )
  await Promise.all(calls)
  expect(asked.sort()).toEqual(["builder", "home"])
})

it("Y11: a sandbox that is replaced after the approval, and before the tool reaches it, is not used", async () => {
  const runtime = createRuntime({
    tools: [look],
    policy: createPolicy({ tools: { policy: "full", hooks: { confirm: ["test.look"] } } }),
    approve: async ({ fingerprint }) => ({ kind: "approved", fingerprint }),
  })
  let revision = 0
  const sandbox = { ...binding, revision: () => revision }
  const call = () => runtime.call({ tool: "test.look", sandbox })
  expect(await call()).toMatchObject({ ok: true })
  runtime.listen(({ kind }) => {
    if (kind === "call-started") revision += 1
  })
  expect(await call()).toMatchObject({
    ok: false,
    kind: "rejected",
    message: expect.stringContaining("has changed since a person approved"),
  })
})

it("F1: a tool that lacks a part says what to do, whatever the arguments and the policy", async () => {
  let missing: string | null = "test.draw needs pencils: run `npm install pencils`."
  const draw = defineTool({
    name: "test.draw",
    description: "Draws.",
    input: { type: "object", properties: {}, additionalProperties: false },
    unavailableReason: () => missing,
    run: () => "drawn",
  })
  const runtime = createRuntime({ tools: [draw] })
  expect(await runtime.call({ tool: "test.draw", input: { wrong: 1 } })).toEqual({
    ok: false,
    kind: "unavailable",
    message: "test.draw needs pencils: run `npm install pencils`.",
    tool: "test.draw",
    retryable: false,
  })
  missing = null
  expect(await runtime.call({ tool: "test.draw" })).toMatchObject({ ok: true, result: "drawn" })
})
