import { expect, it } from "vitest"
import { defineTool, type Workspace } from "../contract/index.ts"
import { createRuntime } from "./index.ts"

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

/** Records who is inside at the same time; only `name` and `cwd` of the workspace are looked at. */
function trace(leave: () => Promise<unknown> = () => pause(20)) {
  const inside = new Set<string>()
  const together: string[] = []
  const tool = (mode: "read" | "write") =>
    defineTool({
      name: `test.${mode}`,
      description: mode,
      input: {
        type: "object",
        properties: { path: { type: "string" }, id: { type: "string" } },
        required: ["path", "id"],
        additionalProperties: false,
      },
      paths: ({ path }) => [{ path, mode }],
      run: async ({ id }) => {
        inside.add(id)
        together.push([...inside].sort().join("+"))
        await leave()
        inside.delete(id)
        return id
      },
    })
  const runtime = createRuntime({ tools: [tool("read"), tool("write")] })
  const workspace = { name: "default", cwd: "/home/user" } as Workspace
  const sandbox = { name: "default", workspace: async () => workspace }
  const use = (mode: "read" | "write", path: string, id: string, signal?: AbortSignal) =>
    runtime.call({ tool: `test.${mode}`, input: { path, id }, sandbox, signal })
  return { together, use }
}

it("Y10: writes to one path are serial, however the path is spelt", async () => {
  const { together, use } = trace()
  await Promise.all([
    use("write", "a.txt", "1"),
    use("write", "./b/../a.txt", "2"),
    use("write", "/home/user/a.txt", "3"),
  ])
  expect(together).toEqual(["1", "2", "3"])
})

it("Y10: reads of one path run together, and writes to other paths are not held up", async () => {
  const gate = Promise.withResolvers<void>()
  const { together, use } = trace(() => gate.promise)
  const all = [use("read", "a.txt", "1"), use("read", "a.txt", "2"), use("write", "b", "3")]
  await expect.poll(() => together.at(-1)).toBe("1+2+3")
  gate.resolve()
  await Promise.all(all)
})

it("Y12: a call that is cancelled while it waits for a path answers at once and blocks nobody", async () => {
  const gate = Promise.withResolvers<void>()
  const { together, use } = trace(() => gate.promise)
  const first = use("write", "a.txt", "1")
  await expect.poll(() => together).toEqual(["1"])
  const second = use("write", "a.txt", "2", AbortSignal.timeout(1))
  const third = use("write", "a.txt", "3")
  expect(await second).toMatchObject({ ok: false, kind: "timeout" })
  gate.resolve()
  expect(await first).toMatchObject({ ok: true })
  expect(await third).toMatchObject({ ok: true })
  expect(together).toEqual(["1", "3"])
})
