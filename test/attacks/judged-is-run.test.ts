import { afterEach, describe, expect, it } from "vitest"
import { z } from "zod"
import type { PolicyConfig } from "../../src/config/index.ts"
import { defineTool } from "../../src/contract/index.ts"
import { createPolicy } from "../../src/policy/index.ts"
import { type Approver, createRuntime } from "../../src/runtime/index.ts"
import { openToolkeep } from "../../src/session/index.ts"

const inputSchema = {
  type: "object",
  properties: {
    command: { type: "string" },
    target: { type: "string", default: "evil default" },
    list: { type: "array", items: { type: "string" } },
  },
  required: ["command"],
  additionalProperties: false,
} as const

const ran: unknown[] = []
afterEach(() => {
  ran.length = 0
})

const echo = (answer = "run") =>
  defineTool({
    name: "test.run",
    description: "Runs what it is told.",
    input: inputSchema,
    run: (input) => {
      ran.push(input.command, ...(input.list ?? []))
      return answer
    },
  })

const denyEvil: PolicyConfig = {
  tools: {
    rules: [
      { deny: "test.run", when: { command: "evil" } },
      { deny: "test.run", when: { "list[]": "evil" } },
    ],
  },
}

const runtimeWith = (config: PolicyConfig, approve?: Approver) =>
  createRuntime({ tools: [echo()], policy: createPolicy(config), approve })

const yes: Approver = async ({ fingerprint }) => ({ kind: "approved", fingerprint })

/** Says "good" the first times that it is asked, and "evil" from then on. */
function turning(goodTimes: number): () => string {
  let times = 0
  return () => {
    times += 1
    return times <= goodTimes ? "good" : "evil"
  }
}

describe("what was judged is what runs", () => {
  it.each([1, 2, 3, 4, 5])("Y8, Y12: a getter that turns evil after %i looks", async (looks) => {
    const say = turning(looks)
    const input = {
      get command() {
        return say()
      },
    }
    await runtimeWith(denyEvil).call({ tool: "test.run", input })
    expect(ran).not.toContain("evil")
  })

  it.each([1, 2, 3, 4, 5])("Y8, Y12: a proxy that turns evil after %i looks", async (looks) => {
    const say = turning(looks)
    const list = new Proxy(["good"], {
      get: (of, key) => (key === "0" ? say() : Reflect.get(of, key)),
    })
    const input = new Proxy(
      { command: "good", list },
      { get: (of, key) => (key === "command" ? say() : Reflect.get(of, key)) },
    )
    await runtimeWith(denyEvil).call({ tool: "test.run", input })
    expect(ran).not.toContain("evil")
  })

  it("Y8: a list with methods of its own, and objects that write themselves otherwise", async () => {
    const list = Object.assign(["good"], { map: () => ["evil"], toJSON: () => ["evil"] })
    class Arguments {
      command = "good"
      toJSON() {
        return { command: "evil" }
      }
    }
    const runtime = runtimeWith(denyEvil)
    await runtime.call({ tool: "test.run", input: { command: "good", list } })
    await runtime.call({ tool: "test.run", input: new Arguments() })
    expect(ran).toEqual(["good", "good", "good"])
    const function_ = { command: "good", toJSON: () => ({ command: "evil" }) }
    expect(await runtime.call({ tool: "test.run", input: function_ })).toMatchObject({
      kind: "invalid_args",
      tool: "test.run",
    })
  })

  it("Y8, Y12: an input that its caller changes, at once or while a person decides", async () => {
    const input = { command: "good", list: ["good"] }
    const spoil = () => {
      input.command = "evil"
      input.list[0] = "evil"
    }
    const runtime = runtimeWith(
      { tools: { hooks: { confirm: ["test.run"] } } },
      (request, signal) => {
        spoil()
        return yes(request, signal)
      },
    )
    const running = runtime.call({ tool: "test.run", input })
    spoil()
    expect(await running).toMatchObject({ ok: true })
    expect(ran).toEqual(["good", "good"])
  })

  it("Y8, Y12: an input that a listener or the approver changes", async () => {
    const spoil = (input: unknown) => {
      const seen = input as { command: string; list: string[] }
      seen.command = "evil"
      seen.list[0] = "evil"
    }
    const runtime = runtimeWith(
      { tools: { hooks: { confirm: ["test.run"] } } },
      (request, signal) => {
        spoil(request.input)
        return yes(request, signal)
      },
    )
    runtime.listen((event) => {
      if (event.kind === "call-checked") spoil(event.input)
    })
    await runtime.call({ tool: "test.run", input: { command: "good", list: ["good"] } })
    expect(ran).toEqual(["good", "good"])
  })

  it("Y8: a request whose caller names another agent later", async () => {
    const runtime = runtimeWith({ agents: { trusted: {}, other: { deny: ["*"] } } })
    const request = { tool: "test.run", input: { command: "good" }, agent: "other" }
    const running = runtime.call(request)
    request.agent = "trusted"
    expect(await running).toMatchObject({ kind: "rejected" })
  })

  it("Y12: the tool that a person was asked about, whatever has its name by then", async () => {
    const runtime = runtimeWith(
      { tools: { hooks: { confirm: ["test.run"] } } },
      (request, signal) => {
        runtime.registry.unregister("test.run")
        runtime.registry.register(echo("another"))
        return yes(request, signal)
      },
    )
    const answer = await runtime.call({ tool: "test.run", input: { command: "good" } })
    expect(answer).toMatchObject({ ok: true, result: "run" })
  })

  it("Y8: what the schema fills in or repairs is judged as it runs", async () => {
    const runtime = runtimeWith({
      tools: { rules: [{ deny: "test.run", when: { target: "evil" } }] },
    })
    const call = (input: unknown) => runtime.call({ tool: "test.run", input })
    expect(await call({ command: "good" })).toMatchObject({ kind: "rejected" })
    expect(await call({ command: "good", target: "fine" })).toMatchObject({ ok: true })
    expect(await call('{"properties": {"command": "good"}}')).toMatchObject({ kind: "rejected" })
    expect(await call({ properties: { command: "x", target: ["evil"] } })).toMatchObject({
      ok: false,
    })
  })

  it("Y8: what an author's own schema makes of the input is judged beside it", async () => {
    const tool = defineTool({
      name: "test.run",
      description: "Runs what it is told.",
      input: z.object({ command: z.string().overwrite((text) => text.trim().toLowerCase()) }),
      run: ({ command }) => ran.push(command),
    })
    const config: PolicyConfig = {
      tools: {
        rules: [
          { deny: "test.run", when: { command: "^evil$" } },
          { deny: "test.run", when: { command: "LOUD" } },
        ],
      },
    }
    const runtime = createRuntime({ tools: [tool], policy: createPolicy(config) })
    for (const command of ["evil", " evil", "EVIL\n", "LOUD"]) {
      expect(await runtime.call({ tool: "test.run", input: { command } })).toMatchObject({
        kind: "rejected",
      })
    }
    await runtime.call({ tool: "test.run", input: { command: " Good " } })
    expect(ran).toEqual(["good"])
  })

  it("Y8: a call in another vocabulary is judged in the canonical words that run", async () => {
    const policy: PolicyConfig = {
      tools: { rules: [{ deny: "shell.exec", when: { command: "evil" } }] },
    }
    await using keep = await openToolkeep({ host: "memory", policy, dialect: "cloudflare" })
    const session = keep.session()
    const say = turning(2)
    const input = {
      get command() {
        return `echo ${say()}`
      },
    }
    const envelope = await session.start("shell", input).envelope
    expect(JSON.stringify(envelope)).not.toContain("evil\\n")
    expect(await session.start("shell", { command: "echo evil" }).envelope).toMatchObject({
      kind: "rejected",
    })
  })
})
