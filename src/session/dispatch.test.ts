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
    await dispatch({ kind: "files.write", path, data: "one\ntwo\n" })
    const { stdout } = await dispatch({ kind: "command.run", cmd: ["wc", "-l", path] })
    return { lines: Number.parseInt(stdout, 10) }
  },
})

const waiting = defineTool({
  name: "demo.wait",
  description: "Waits in the sandbox.",
  input: { type: "object", properties: {}, additionalProperties: false },
  run: async (_input, { dispatch }) => dispatch({ kind: "command.run", cmd: "sleep 600" }),
})

it("R2.layers, R8.command, R8.files: a tool dispatches payloads to its call's own sandbox", async () => {
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

const readText = defineTool({
  name: "demo.read_text",
  description: "Reads a text.",
  input: {
    type: "object",
    properties: { path: { type: "string" } },
    required: ["path"],
    additionalProperties: false,
  },
  run: ({ path }, { dispatch }) => dispatch({ kind: "files.read", path }),
})

it("R7.fields, R7.file, R8.files, X6.dispatch: in openrath, what a tool dispatches is answered with the document's fields", async () => {
  await using keep = await openToolkeep({ host: "memory", dialect: "openrath", tools: [readText] })
  const session = keep.session()
  const answer = async (path: string) =>
    JSON.parse(String(session.render(await session.start("demo.read_text", { path }).envelope)))
  await session.call("file.write", { path: "a.txt", content: "x".repeat(12_001) })
  expect(Object.keys(await answer("a.txt"))).toEqual(["data"])
  expect((await answer("a.txt")).data).toHaveLength(12_000)
  expect(await answer("none.txt")).toMatchObject({
    ok: false,
    error_kind: "tool_execution_exception",
    message: '"/home/user/none.txt" does not exist.',
  })
})
