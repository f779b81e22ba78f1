import { expect, it } from "vitest"
import { defineTool } from "../contract/index.ts"
import { openToolkeep } from "./open-toolkeep.ts"

const countLines = defineTool({
  name: "demo.count_lines",
  description: "Counts the lines of a file.",
  input: {
    type: "object",
    properties: { path: { type: "string" } },
    required: ["path"],
    additionalProperties: false,
  },
  async run({ path }, { dispatch }) {
    await dispatch({ kind: "file.write", path, data: "one\ntwo\n" })
    const { stdout } = await dispatch({ kind: "command.run", command: ["wc", "-l", path] })
    return { lines: Number.parseInt(stdout, 10) }
  },
})

const waiting = defineTool({
  name: "demo.wait",
  description: "Waits in the sandbox.",
  input: { type: "object", properties: {}, additionalProperties: false },
  run: async (_input, { dispatch }) => dispatch({ kind: "command.run", command: "sleep 600" }),
})

it("R8: a tool dispatches payloads to its call's own sandbox", async () => {
  await using keep = await openToolkeep({ host: "memory", tools: [countLines] })
  const session = keep.session()
  const input = { path: "notes.txt" }
  const counted = await session.call("demo.count_lines", input, { sandbox: "other" })
  expect(counted).toMatchObject({ ok: true, result: { lines: 2 } })
  expect(await (await session.workspace("other")).readFile("notes.txt")).toBe("one\ntwo\n")
  expect(await (await session.workspace()).exists("notes.txt")).toBe(false)
})

it("R8: a payload ends with the call that dispatched it", async () => {
  await using keep = await openToolkeep({ host: "bubblewrap", tools: [waiting] })
  const session = keep.session()
  const workspace = await session.workspace()
  const running = session.start("demo.wait", {})
  const sleeping = async () => (await workspace.exec("pgrep -x sleep || true")).stdout
  await expect.poll(sleeping).not.toBe("")
  running.cancel(new Error("no longer wanted"))
  expect(await running.envelope).toMatchObject({ ok: false })
  await expect.poll(sleeping).toBe("")
})
