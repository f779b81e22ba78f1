import { expect, it } from "vitest"
import { defineTool, renderTools } from "../contract/index.ts"
import { policyOfProfile } from "../policy/index.ts"
import { ToolRegistry } from "./registry.ts"

const named = (name: string) =>
  defineTool({
    name,
    description: `Does ${name}.`,
    input: { type: "object", properties: {}, additionalProperties: false },
    run: () => name,
  })

it("Y5.find, Y5.list, Y5.unregister, Y5.policy: registers, finds by both names, lists in order, unregisters, keeps a policy", () => {
  const registry = new ToolRegistry()
  const [read, write] = [named("file.read"), named("file.write")]
  registry.register(write)
  registry.register(read)
  expect(registry.get("file.read")).toBe(read)
  expect(registry.getByApiName("file_read")).toBe(read)
  expect(registry.get("file_read")).toBeUndefined()
  expect(registry.has("file.write")).toBe(true)
  expect(registry.list()).toEqual([write, read])
  expect(registry.unregister("file.read")).toBe(true)
  expect(registry.unregister("file.read")).toBe(false)
  expect(registry.getByApiName("file_read")).toBeUndefined()
  const policy = policyOfProfile("coding")
  expect(registry.getPolicy()).toBeUndefined()
  registry.setPolicy(policy)
  expect(registry.getPolicy()).toBe(policy)
})

it("F7.own, R3.conflict, Y5.register: a name that is taken is refused, whoever had it first", () => {
  const registry = new ToolRegistry()
  registry.register(named("file.read"))
  expect(() => registry.register(named("file.read"))).toThrow(
    'There is already a tool "file.read".',
  )
  expect(registry.list()).toHaveLength(1)
})

it("F7.own: two names that a model could not tell apart are refused", () => {
  const registry = new ToolRegistry()
  registry.register(named("file.read"))
  expect(() => registry.register(named("file_read"))).toThrow(
    '"file_read" and "file.read" are both "file_read" to a model; rename one of them.',
  )
  registry.unregister("file_read")
  expect(registry.getByApiName("file_read")?.name).toBe("file.read")
})

it("R3.order: schemas for a model come in a stable order, built-in tools first", () => {
  const registry = new ToolRegistry()
  for (const name of ["shell.exec", "file.read", "my.own"]) registry.register(named(name))
  const names = () => renderTools("openai", registry.list()).map((tool) => tool.function.name)
  expect(names()).toEqual(["shell_exec", "file_read", "my_own"])
  expect(names()).toEqual(names())
})
