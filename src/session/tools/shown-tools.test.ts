import { describe, expect, it } from "vitest"
import { defineTool, type Tool } from "../../contract/index.ts"
import { toolSearchLimits } from "../../tools/index.ts"
import { openToolkeep, type ToolkeepOptions } from "../open-toolkeep.ts"

const own = (count: number): Tool[] =>
  Array.from({ length: count }, (_, index) =>
    defineTool({
      name: `own.tool_${index}`,
      description: `Paints the wall number${index}.`,
      input: { type: "object", properties: {}, additionalProperties: false },
      run: () => ({ text: "painted" }),
    }),
  )

/** Over the memory host, whose own tools are not so many that any is kept back. */
async function open(options: ToolkeepOptions = {}) {
  const keep = await openToolkeep({ host: "memory", ...options })
  const session = keep.session()
  const names = (asked = {}) => session.tools(asked).map(({ name }) => name)
  return { session, names, [Symbol.asyncDispose]: () => keep.close() }
}

const search = "tools.search"

describe("with many tools", () => {
  it("R3: up to 40 are told of as ever; with one more, the usual ones, the program's own and tools.search", async () => {
    await using plain = await open()
    const room = toolSearchLimits.deferAbove - plain.names().length
    await using full = await open({ tools: own(room) })
    expect(full.names()).toHaveLength(40)
    expect(full.names()).not.toContain(search)
    await using more = await open({ tools: own(room + 1) })
    const told = more.names()
    expect(told).toContain(search)
    expect(told).toContain(`own.tool_${room}`)
    expect(told).toContain("file.read")
    expect(told).not.toContain("browser.navigate")
    expect(more.names({ all: true })).toHaveLength(42)
    await using most = await open({ tools: own(toolSearchLimits.ownAtFirst + 1) })
    expect(most.names()).not.toContain("own.tool_0")
  })

  it("it can be forced on, and off", async () => {
    await using on = await open({ defer: "on" })
    await using off = await open({ defer: "off", tools: own(50) })
    expect(on.names()).toContain(search)
    expect(on.names().length).toBeLessThanOrEqual(21)
    expect(off.names()).not.toContain(search)
    expect(off.names()).toContain("own.tool_49")
    expect(await off.session.call(search, { query: "x" })).toMatchObject({ kind: "tool_not_found" })
  })

  it("what is found is told of from then on, and watchers hear of it once", async () => {
    await using ground = await open({ defer: "on" })
    const { session, names } = ground
    let heard = 0
    const stop = session.watchTools(() => {
      heard += 1
    })
    expect(await session.call(search, { query: "remember", limit: 2 })).toMatchObject({
      ok: true,
      result: { kind: "tools", tools: [{ name: "memory_write" }, {}], tool_count: 2 },
    })
    expect(names()).toContain("memory.write")
    expect(heard).toBe(1)
    await session.call(search, { query: "remember", limit: 2 })
    await session.call("file.list", { path: "." })
    expect(heard).toBe(1)
    stop()
    await session.call(search, { query: "take a screenshot" })
    expect(heard).toBe(1)
  })

  it("every tool can be called by either name before it is told of, and is told of after that", async () => {
    await using ground = await open({ defer: "on", tools: own(21) })
    const { session, names } = ground
    expect(names()).not.toContain("own.tool_3")
    expect(await session.call("own_tool_3")).toMatchObject({ ok: true })
    expect(await session.call("own.tool_4", { bad: 1 })).toMatchObject({ kind: "invalid_args" })
    expect(names().filter((name) => name.startsWith("own."))).toEqual(["own.tool_3", "own.tool_4"])
  })

  it("Y8: what the policy hides is never found and never told of, for the agent that it is hidden from", async () => {
    await using ground = await open({
      defer: "on",
      policy: { tools: { policy: "full" }, agents: { guest: { deny: ["memory.*"] } } },
    })
    const { session, names } = ground
    const agent = "guest"
    const query = { query: "memory.write", limit: 20 }
    const forGuest = await session.call(search, query, { agent })
    expect(forGuest).toMatchObject({ ok: true })
    expect(JSON.stringify(forGuest)).not.toContain('"name":"memory_')
    expect(await session.call("memory.list", {}, { agent })).toMatchObject({ kind: "rejected" })
    expect(names()).not.toContain("memory.list")
    expect(await session.call(search, query)).toMatchObject({
      result: {
        tools: expect.arrayContaining([expect.objectContaining({ name: "memory_write" })]),
      },
    })
    expect(names()).toContain("memory.write")
    expect(names({ agent })).not.toContain("memory.write")
  })

  it("Y15: tools of a source that starts late are found, and no longer when they are gone", async () => {
    let remove = () => {}
    await using ground = await open({
      defer: "on",
      sources: [
        ({ session }) => ({
          prepare: async () => {
            remove()
            remove = session.addTools(own(50))
          },
          close: async () => {},
        }),
      ],
    })
    const { session, names } = ground
    let heard = 0
    session.watchTools(() => {
      heard += 1
    })
    const query = { query: "paint number49", limit: 1 }
    expect(await session.call(search, query)).toMatchObject({
      result: { tools: [{ name: "own_tool_49" }] },
    })
    expect(names().filter((name) => name.startsWith("own."))).toEqual(["own.tool_49"])
    expect(heard).toBe(2)
    remove()
    expect(names()).not.toContain("own.tool_49")
  })

  it("a tool that lacks a part is not found", async () => {
    await using ground = await open({ defer: "on" })
    const answer = await ground.session.call(search, { query: "web.search", limit: 20 })
    expect(JSON.stringify(answer)).not.toContain('"web_search"')
  })

  it("who may not search is told of everything", async () => {
    await using ground = await open({
      defer: "on",
      policy: { tools: { policy: "x", profiles: { x: { allow: ["memory.*"] } } } },
    })
    expect(ground.names()).toEqual(ground.names({ all: true }))
    expect(ground.names()).toContain("memory.search")
  })

  it("Anthropic's API is given all of them, with a mark on those that it should defer", async () => {
    await using ground = await open({ defer: "on" })
    const { session, names } = ground
    const marked = session.tools({ for: "anthropic", deferred: "marked" })
    expect(marked).toHaveLength(names({ all: true }).length)
    const shown = marked.filter((tool) => tool.defer_loading === undefined)
    expect(shown).toEqual(session.tools({ for: "anthropic" }))
    expect(marked.find(({ name }) => name === "memory_write")).toEqual({
      name: "memory_write",
      description: expect.any(String),
      input_schema: expect.any(Object),
      defer_loading: true,
    })
  })
})

it("R3: nobody's own tool is called tools.search", async () => {
  const [tool] = own(1)
  const keep = await openToolkeep({
    host: "memory",
    defer: "off",
    tools: [{ ...tool, name: search } as Tool],
  })
  expect(() => keep.session()).toThrow(/"tools\.search": the name is kept/)
  await keep.close()
})
