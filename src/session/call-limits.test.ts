import { expect, it } from "vitest"
import { defineTool, limits, type Tool } from "../contract/index.ts"
import { systemClock } from "../kit/index.ts"
import { parsePolicyYaml } from "../policy/index.ts"
import { openToolkeep, type ToolkeepOptions } from "./open-toolkeep.ts"

const configured = `
limits:
  output_bytes: 8000
  timeout_ms: 30000
  command_timeout_ms: 1000
`

const open = async (options: ToolkeepOptions = {}) =>
  openToolkeep({
    host: "memory",
    policy: await parsePolicyYaml(configured, "toolkeep.yaml"),
    ...options,
  })

const long = "x".repeat(20_000)

it("X10.output, X10.timeout, Y13: limits of toolkeep.yaml are what a model is told and what it gets", async () => {
  await using keep = await open()
  const session = keep.session()
  const told = new Map(session.tools().map((tool) => [tool.name, tool]))
  const shell = told.get("shell.exec")
  expect(shell?.description).toContain("over 7000 bytes")
  expect(argument(shell, "timeout_ms").description).toContain("without it, after 1000.")
  expect(argument(told.get("file.read"), "limit")).toMatchObject({ maximum: 7996 })
  expect(argument(told.get("file.read"), "limit").description).toContain("6000 as base64")
  expect(told.get("web.fetch")?.description).toContain("over 8000 bytes")

  await session.call("file.write", { path: "long", content: long })
  const read = await session.call("file.read", { path: "long" })
  expect(read).toMatchObject({ result: { bytes: 8000, next_offset: 8000, truncated: true } })
  const binary = await session.call("file.read", { path: "long", encoding: "base64" })
  expect(binary).toMatchObject({ result: { bytes: 6000, truncated: true } })
  const shown = await session.call("shell.exec", { command: "cat long" })
  expect(shown).toMatchObject({ result: { stdout: expect.stringMatching(/13000 bytes left out/) } })
  const code = await session.call("code.run", { language: "bash", code: "cat long" })
  expect(code).toMatchObject({ result: { stdout: expect.stringMatching(/13000 bytes left out/) } })
  expect(await session.call("system.info", {})).toMatchObject({
    result: { limits: { text_bytes: 8000, tool_timeout_ms: 30_000 } },
  })
})

it("X10.timeout, F9.model: a command without a timeout is ended after the configured time", async () => {
  await using keep = await open()
  const ended = await keep.session().call("shell.exec", { command: "echo a; sleep 600" })
  expect(ended).toMatchObject({ result: { exit_code: 124, timed_out: true } })
  const own = await keep
    .session()
    .call("shell.exec", { command: "sleep 1.2; echo b", timeout_ms: 60_000 })
  expect(own).toMatchObject({ result: { exit_code: 0, stdout: "b\n" } })
})

const slow = toolOf("own.slow", () => new Promise(() => {}))
const wordy = toolOf("own.wordy", async () => ({ text: long }))
const patient = toolOf("own.patient", async () => "done", { timeoutMs: 500_000 })

it("X10.timeout, O28: tools without a timeout of their own have the configured one, also a program's own", async () => {
  // Deadlines come at once; each says how long it was to be.
  const clock = {
    ...systemClock,
    after: (_: number, then: () => void) => systemClock.after(0, then),
  }
  await using keep = await open({ tools: [slow], clock })
  const answer = await keep.session().start("own.slow").envelope
  expect(answer).toMatchObject({ kind: "timeout", message: expect.stringContaining("30000 ms") })
})

it("X10.output, Y13: a program gives the limits too, and they win over the file's", async () => {
  await using keep = await open({ limits: { outputBytes: 400_000 }, tools: [wordy, patient] })
  const session = keep.session()
  const times: (number | null)[] = []
  session.listen((event) => {
    if (event.kind === "call-started") times.push(event.timeoutMs)
  })
  expect(await session.start("own.wordy").envelope).toMatchObject({ result: { text: long } })
  await session.start("own.patient").envelope
  await session.call("file.write", { path: "long", content: long.repeat(10) })
  const shown = await session.call("shell.exec", { command: "cat long; cat long >&2" })
  expect(shown).toMatchObject({ result: { stdout: long.repeat(10), stderr: long.repeat(10) } })
  expect(times).toEqual([limits.toolTimeoutMs, 500_000, limits.toolTimeoutMs, null])
})

it("X10.output, O34: a long text of any tool is cut at the configured size, in every vocabulary", async () => {
  await using keep = await open({ tools: [wordy], dialect: "flynn" })
  const session = keep.session()
  expect(await session.start("own.wordy").envelope).toMatchObject({
    result: { text: expect.stringContaining("12032 bytes left out") },
    warnings: ["result.text: 12032 bytes left out"],
  })
  const shown = await session.start("shell.exec", { command: "printf %20000d 1" }).envelope
  expect(JSON.stringify(shown).length).toBeLessThan(8_500)
})

it.each([
  [
    { outputBytes: 10 },
    "limits.outputBytes is 10; it must be a whole number from 4000 to 1000000.",
  ],
  [{ timeoutMs: 0.5 }, "limits.timeoutMs is 0.5; it must be a whole number from 1000 to 86400000."],
])("X10: limits of %j are refused", async (given, message) => {
  await expect(openToolkeep({ host: "memory", limits: given })).rejects.toThrow(message)
})

it("X10: a limit out of range is refused with its line", async () => {
  const text = "limits:\n  output_bytes: 10\n"
  await expect(parsePolicyYaml(text, "toolkeep.yaml")).rejects.toThrow(
    /line 2: .*output_bytes.*4000/,
  )
})

function toolOf(
  name: string,
  run: () => Promise<unknown>,
  more: { timeoutMs?: number } = {},
): Tool {
  const input = { type: "object", properties: {}, additionalProperties: false } as const
  return defineTool({ name, description: "For a test.", input, effects: ["read"], ...more, run })
}

function argument(tool: { readonly inputSchema: unknown } | undefined, name: string) {
  const schema = tool?.inputSchema as { properties: Record<string, { description: string }> }
  return schema.properties[name] ?? { description: "" }
}
