import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { defineTool, limits, type Tool } from "../../src/contract/index.ts"
import type { ApprovalRequest } from "../../src/runtime/index.ts"
import { openToolkeep, type Session } from "../../src/session/index.ts"
import { type HttpGround, openHttpGround } from "../mcp/http-ground.ts"
import { connectOlder, newer, type RawAnswer, send } from "../mcp/raw-client.ts"
import { manualClock } from "../support/manual-clock.ts"

const policy = {
  tools: {
    policy: "full",
    hooks: { confirm: ["file.write", "sandbox.transfer", "test.changing"] },
  },
}

const nothing = { type: "object", properties: {}, additionalProperties: false } as const
const runs: string[] = []

/** A tool whose definition says what it is worth. */
const changing = (
  description: string,
  more: Partial<Parameters<typeof defineTool>[0]> = {},
): Tool =>
  defineTool({
    name: "test.changing",
    description,
    input: nothing,
    run: () => {
      runs.push(description)
      return { text: description }
    },
    ...more,
  })

const changedMessage = expect.stringMatching(/has changed since a person/)
const refused = { ok: false, kind: "rejected", message: changedMessage }

describe("in a program", () => {
  const asked: ApprovalRequest[] = []
  /** What happens while a person decides. */
  let meanwhile: () => unknown = () => {}
  /** The answer; a yes to exactly this when absent. */
  let fingerprint: ((request: ApprovalRequest) => string) | null = null

  async function open(clock = undefined as ReturnType<typeof manualClock> | undefined) {
    const keep = await openToolkeep({
      host: "memory",
      policy,
      ...(clock && { clock }),
      async approve(request) {
        asked.push(request)
        await meanwhile()
        return { kind: "approved", fingerprint: fingerprint?.(request) ?? request.fingerprint }
      },
    })
    meanwhile = () => {}
    fingerprint = null
    asked.length = 0
    return keep
  }

  const write = (session: Session, content = "a", options: object = {}) =>
    session.call("file.write", { path: "a.txt", content }, options)

  it("Y11: a yes of one session, sandbox, directory, definition or set of arguments is worth nothing for another", async () => {
    await using keep = await open()
    const [one, two] = [keep.session("one"), keep.session("two")]
    await one.sandboxes.create({ name: "web" })
    await (await one.workspace()).mkdir("/home/user/in")
    expect(await write(one)).toMatchObject({ ok: true })
    fingerprint = () => asked[0]?.fingerprint ?? ""
    const another = { ok: false, kind: "rejected", message: /given for another call/ }
    const others = [
      write(two),
      write(one, "b"),
      write(one, "a", { sandbox: "web" }),
      write(one, "a", { cwd: "/home/user/in" }),
      one.call("file.write", { path: "a.txt", content: "a", sandbox: "web" }),
    ]
    for (const envelope of await Promise.all(others)) {
      expect(envelope).toMatchObject({
        ...another,
        message: expect.stringMatching(another.message),
      })
    }
    const elsewhere = { sandbox: "default", cwd: "/home/user/in" }
    expect(asked).toContainEqual(expect.objectContaining(elsewhere))
    one.addTools([changing("Does one thing.")])
    two.addTools([changing("Does another thing.")])
    fingerprint = null
    asked.length = 0
    expect(await one.start("test.changing").envelope).toMatchObject({ ok: true })
    fingerprint = () => asked[0]?.fingerprint ?? ""
    expect(await two.start("test.changing").envelope).toMatchObject({ ok: false, kind: "rejected" })
  })

  it("Y11: a sandbox that is replaced while a person decides is not the one that was approved", async () => {
    await using keep = await open()
    const session = keep.session()
    await session.sandboxes.create({ name: "web" })
    meanwhile = async () => {
      await session.sandboxes.destroySandbox("web")
      await session.sandboxes.create({ name: "web" })
    }
    expect(await write(session, "a", { sandbox: "web" })).toMatchObject(refused)
    expect(await (await session.workspace("web")).exists("a.txt")).toBe(false)
    // The same for who names it in the arguments, on either side.
    meanwhile = () => {}
    await write(session)
    const move = (from_sandbox: string, to_sandbox: string) =>
      session.call("sandbox.transfer", {
        ...{ from_sandbox, to_sandbox, from_path: "a.txt", to_path: "b.txt" },
      })
    expect(await move("default", "web")).toMatchObject({ ok: true })
    meanwhile = async () => {
      await session.sandboxes.destroySandbox("web")
      await session.sandboxes.create({ name: "web" })
      await (await session.workspace("web")).writeFile("a.txt", "planted")
    }
    expect(await move("default", "web")).toMatchObject(refused)
    expect(await move("web", "default")).toMatchObject(refused)
  })

  it("Y11: a free name that another call gives a sandbox meanwhile is not what was approved; the usual sandbox is", async () => {
    await using keep = await open()
    const session = keep.session()
    meanwhile = () => session.sandboxes.create({ name: "fresh" })
    expect(await write(session, "a", { sandbox: "fresh" })).toMatchObject(refused)
    meanwhile = async () => void (await session.workspace("other"))
    expect(await write(session, "a", { sandbox: "other" })).toMatchObject({ ok: true })
  })

  it("Y11: a tool that is taken away or defined anew while a person decides does not run", async () => {
    await using keep = await open()
    const session = keep.session()
    const definitions: readonly (readonly Tool[])[] = [
      [],
      [changing("Does something else.")],
      [changing("Does it.", { effects: ["network"] })],
      [changing("Does it.", { title: "Another title" })],
      [changing("Does it.", { unavailableReason: () => "It has to be installed first." })],
    ]
    for (const later of definitions) {
      const remove = session.addTools([changing("Does it.")])
      let removeLater = () => {}
      meanwhile = () => {
        remove()
        removeLater = session.addTools(later)
      }
      expect(await session.start("test.changing").envelope).toMatchObject(refused)
      removeLater()
    }
    expect(runs).not.toContain("Does it.")
  })

  it("Y11: a yes that comes after the question has expired lets nothing run", async () => {
    const clock = manualClock()
    await using keep = await open(clock)
    const session = keep.session()
    const late = Promise.withResolvers<void>()
    const waiting = Promise.withResolvers<void>()
    meanwhile = () => {
      waiting.resolve()
      return late.promise
    }
    const answered = write(session)
    await waiting.promise
    clock.advance(limits.approvalMs)
    expect(await answered).toMatchObject({ kind: "unavailable" })
    late.resolve()
    expect(await (await session.workspace()).exists("a.txt")).toBe(false)
  })
})

const capabilities = { elicitation: { form: {} } }
const accept = { action: "accept", content: {} }

async function resultOf(answering: Promise<RawAnswer>) {
  const answer = await answering
  await answer.ended
  const message = answer.messages().at(-1)
  return message?.result ?? message
}

/** Calls tools at once, or begins a call that waits for a yes. */
interface Asker {
  call(name: string, input?: object): ReturnType<typeof resultOf>
  ask(name: string, input?: object): Promise<{ yes(): ReturnType<typeof resultOf> }>
}

const generations = [
  {
    generation: "2025-11-25",
    async connect(ground: HttpGround): Promise<Asker> {
      const { post } = await connectOlder(ground, capabilities)
      let id = 10
      const begin = (name: string, input: object) => {
        id += 1
        return post({ id, method: "tools/call", params: { name, arguments: input } })
      }
      return {
        call: (name, input = {}) => resultOf(begin(name, input)),
        async ask(name, input = {}) {
          const call = await begin(name, input)
          const question = () =>
            call.messages().find(({ method }) => method === "elicitation/create")?.id
          await expect.poll(question).toBeDefined()
          return {
            async yes() {
              await post({ id: question(), result: accept })
              return resultOf(Promise.resolve(call))
            },
          }
        },
      }
    },
  },
  {
    generation: "2026-07-28",
    async connect(ground: HttpGround): Promise<Asker> {
      const call = (name: string, input: object, more: object = {}) => {
        const params = { name, arguments: input, ...more }
        return resultOf(send(ground, newer("tools/call", params, { capabilities })))
      }
      return {
        call: (name, input = {}) => call(name, input),
        async ask(name, input = {}) {
          const { requestState } = await call(name, input)
          expect(requestState).toEqual(expect.any(String))
          const more = { requestState, inputResponses: { approval: accept } }
          return { yes: () => call(name, input, more) }
        },
      }
    },
  },
]

describe.each(generations)("over MCP $generation", ({ connect }) => {
  let ground: HttpGround
  beforeAll(async () => {
    const takenAway = new WeakMap<Session, () => void>()
    const define = (session: Session, description: string) => {
      takenAway.get(session)?.()
      takenAway.set(session, session.addTools([changing(description)]))
    }
    ground = await openHttpGround({
      policy,
      tools: (sessionOf) => [
        defineTool({
          name: "test.define",
          description: "Defines test.changing.",
          input: {
            type: "object",
            properties: { as: { type: "string" } },
            required: ["as"],
            additionalProperties: false,
          } as const,
          run: (input, context) => {
            define(sessionOf(context), input.as)
            return null
          },
        }),
      ],
    })
  })
  afterAll(() => ground[Symbol.asyncDispose]())

  const input = { path: "a.txt", content: "approved", sandbox: "web" }

  it("Y11: a sandbox that the model replaces while a person decides is not the one that was approved", async () => {
    const client = await connect(ground)
    await client.call("sandbox_create", { sandbox: "web" })
    expect((await (await client.ask("file_write", input)).yes()).structuredContent).toMatchObject({
      ok: true,
    })
    const question = await client.ask("file_write", input)
    await client.call("sandbox_destroy", { sandbox: "web" })
    await client.call("sandbox_create", { sandbox: "web" })
    expect((await question.yes()).structuredContent).toMatchObject(refused)
    const read = await client.call("file_read", { path: "a.txt", sandbox: "web" })
    expect(read.structuredContent).toMatchObject({ kind: "not_found" })
  })

  it("Y11: a tool that is defined anew while a person decides does not run", async () => {
    const client = await connect(ground)
    await client.call("test_define", { as: "Harmless." })
    const kept = await client.ask("test_changing")
    expect((await kept.yes()).structuredContent).toMatchObject({ ok: true })
    const question = await client.ask("test_changing")
    await client.call("test_define", { as: "Harmful." })
    expect((await question.yes()).structuredContent).toMatchObject(refused)
    expect(runs).not.toContain("Harmful.")
  })
})
