import { describe, expect, it } from "vitest"
import { hang, impatient } from "../../test/support/runtime/runtime-fixture.ts"
import { defineTool } from "../contract/index.ts"
import { createPolicy } from "../policy/index.ts"
import { type ApprovalRequest, createRuntime } from "./index.ts"

describe("approvals", () => {
  const policy = createPolicy({ tools: { policy: "full", hooks: { confirm: ["test.*"] } } })
  const say = {
    type: "object",
    properties: { word: { type: "string" } },
    additionalProperties: false,
  } as const
  const tool = defineTool({
    name: "test.say",
    description: "Says.",
    input: say,
    run: ({ word }) => word,
  })

  it("Y11: a person is asked about exactly what will run, and a yes lets it run", async () => {
    const asked: ApprovalRequest[] = []
    const runtime = createRuntime({
      tools: [tool],
      policy,
      approve: async (request) => {
        asked.push(request)
        // Neither the caller's object nor the request's copy is what runs.
        ;(request.input as { word: string }).word = "changed by the approver"
        input.word = "changed by the caller"
        return { kind: "approved", fingerprint: request.fingerprint }
      },
    })
    const input = { word: "hello" }
    expect(await runtime.call({ tool: "test.say", input })).toMatchObject({ result: "hello" })
    expect(asked[0]).toMatchObject({ tool: "test.say", title: "Test say", sandbox: null })
    expect(asked[0]?.fingerprint).toMatch(/^[0-9a-f]{64}$/)
  })

  it("O9, Y11: a no is user_denied with the person's reason", async () => {
    const runtime = createRuntime({
      tools: [tool],
      policy,
      approve: async () => ({ kind: "denied", reason: "not today" }),
    })
    expect(await runtime.call({ tool: "test.say", input: {} })).toEqual({
      ok: false,
      kind: "user_denied",
      message: "A person said no to this call: not today",
      tool: "test.say",
      retryable: false,
    })
  })

  it("Y11: a caller can have a person asked where the policy allows, and never where it denies", async () => {
    const asked: ApprovalRequest[] = []
    const open = (rules: { readonly deny: string; readonly when: { readonly word: string } }[]) =>
      createRuntime({
        tools: [tool],
        policy: createPolicy({ tools: { policy: "full", rules } }),
        approve: async (request) => {
          asked.push(request)
          return { kind: "denied" }
        },
      })
    const call = { tool: "test.say", input: { word: "hello" } }
    expect(await open([]).call(call)).toMatchObject({ ok: true })
    const because = "To see a question."
    expect(await open([]).call({ ...call, ask: because })).toMatchObject({ kind: "user_denied" })
    expect(asked.map(({ rule }) => rule)).toMatchObject([{ source: "caller", because }])
    const denied = open([{ deny: "test.say", when: { word: "hello" } }]).call({
      ...call,
      ask: because,
    })
    expect(await denied).toMatchObject({ kind: "rejected" })
    expect(asked).toHaveLength(1)
  })

  it("Y11: an approval of other arguments is worth nothing", async () => {
    const fingerprints: string[] = []
    const runtime = createRuntime({
      tools: [tool],
      policy,
      approve: async (request) => {
        fingerprints.push(request.fingerprint)
        return { kind: "approved", fingerprint: fingerprints[0] ?? "" }
      },
    })
    expect(await runtime.call({ tool: "test.say", input: { word: "a" } })).toMatchObject({
      ok: true,
    })
    expect(await runtime.call({ tool: "test.say", input: { word: "a" } })).toMatchObject({
      ok: true,
    })
    expect(await runtime.call({ tool: "test.say", input: { word: "b" } })).toMatchObject({
      ok: false,
      kind: "rejected",
      message: "The approval was given for another call than this one.",
    })
  })

  it("X7: who edits the arguments is asked again only by another rule, and the model is told what ran", async () => {
    const asked: string[] = []
    const open = (...rules: { deny?: string; ask?: string; when: { word: string } }[]) =>
      createRuntime({
        tools: [tool],
        policy: createPolicy({ tools: { policy: "full", hooks: { confirm: ["test.*"] }, rules } }),
        approve: async ({ rule, fingerprint }) => {
          asked.push(rule.text)
          return asked.length > 1
            ? { kind: "approved", fingerprint }
            : { kind: "edited", input: { word: "edited" } }
        },
      })
    const call = { tool: "test.say", input: { word: "sent" } }
    const notice = 'A person changed the arguments of this call to {"word":"edited"}'
    expect(await open().call(call)).toEqual({
      ...{ ok: true, tool: "test.say", result: "edited", warnings: [notice] },
    })
    expect(asked).toHaveLength(1)

    asked.splice(0)
    const rule = { ask: "test.say", when: { word: "edited" } }
    expect(await open(rule).call(call)).toMatchObject({ ok: true, result: "edited" })
    expect(new Set(asked).size).toBe(2)

    asked.splice(0)
    const denied = open({ deny: "test.say", when: { word: "edited" } }).call(call)
    expect(await denied).toMatchObject({
      ...{ kind: "rejected", message: expect.stringContaining(notice) },
    })
  })

  it("Y11: an approver that comes with a call is asked in the place of the runtime's own", async () => {
    const asked: string[] = []
    const approver =
      (who: string) =>
      async ({ fingerprint }: ApprovalRequest) => {
        asked.push(who)
        return { kind: "approved", fingerprint } as const
      }
    const runtime = createRuntime({ tools: [tool], policy, approve: approver("the runtime's") })
    await runtime.call({ tool: "test.say", input: {}, approve: approver("the call's") })
    await runtime.call({ tool: "test.say", input: {} })
    expect(asked).toEqual(["the call's", "the runtime's"])
  })

  it("Y11: with nobody to ask, an ask is refused and says what to do", async () => {
    const envelope = await createRuntime({ tools: [tool], policy }).call({ tool: "test.say" })
    expect(envelope).toMatchObject({ ok: false, kind: "rejected" })
    expect(envelope.ok ? "" : envelope.message).toContain("connect an approver")
  })

  it("Y11: an approver that reaches nobody says what to do about it", async () => {
    const runtime = createRuntime({
      tools: [tool],
      policy,
      approve: async () => ({ kind: "unreachable", remedy: "Use a client that can ask." }),
    })
    const envelope = await runtime.call({ tool: "test.say", input: {} })
    expect(envelope).toMatchObject({ ok: false, kind: "rejected", retryable: false })
    expect(envelope).toHaveProperty(
      "message",
      expect.stringMatching(/Nobody is there to be asked \(.*\): Use a client that can ask\.$/),
    )
  })

  it("Y11: an approver that throws or never answers still gives one envelope", async () => {
    const broken = createRuntime({
      tools: [tool],
      policy,
      approve: () => Promise.reject(new Error("the phone is off")),
    })
    expect(await broken.call({ tool: "test.say" })).toMatchObject({ kind: "execution_error" })
    const silent = createRuntime({ tools: [tool], policy, approve: hang, clock: impatient })
    expect(await silent.call({ tool: "test.say" })).toMatchObject({ kind: "unavailable" })
  })
})
