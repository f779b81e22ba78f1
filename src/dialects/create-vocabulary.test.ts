import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { openSpeaking, type Speaking } from "../../test/support/dialects/dialect-fixture.ts"
import { showResult } from "../contract/index.ts"
import { memoryHost } from "../sandbox/index.ts"
import { catalogue } from "../tools/index.ts"
import { createVocabulary } from "./create-vocabulary.ts"
import type { DialectTable } from "./dialect-table.ts"
import { flue } from "./tables/flue.ts"
import { flynn } from "./tables/flynn.ts"
import { openrath } from "./tables/openrath.ts"

let speaking: Speaking
beforeAll(async () => {
  speaking = await openSpeaking(memoryHost())
})
afterAll(() => speaking[Symbol.asyncDispose]())

const house: DialectTable = {
  dialect: "house",
  about: "",
  answer: "envelope",
  tools: {
    run: {
      tool: "shell.exec",
      description: "Runs a command.",
      arguments: {
        cmd: { as: "command", required: true },
        seconds: { as: "timeout_ms", times: 1_000, schema: { type: "number", minimum: 0.001 } },
        quiet_for: { as: "idle_timeout_ms" },
      },
      result: { out: "stdout", code: "exit_code", pid: "pid", fine: { value: true } },
    },
    find: {
      tool: { by: "what", of: { name: "file.glob", text: "file.grep" } },
      description: "Finds files.",
      arguments: {
        pattern: { as: "pattern", required: true },
        around: { as: "context_lines" },
      },
    },
    start: {
      tool: "process.start",
      description: "Starts a process.",
      arguments: { cmd: { as: "command", required: true } },
    },
  },
}

describe("a dialect", () => {
  it("F1: shows only what this host can keep, with the canonical schema where it says nothing of its own", () => {
    const [run, find, ...rest] = speaking.speak(house).tools()
    expect(rest).toEqual([])
    expect(run).toMatchObject({
      name: "run",
      effects: ["execute"],
      inputSchema: {
        properties: {
          cmd: { type: "string", minLength: 1 },
          seconds: { type: "number", minimum: 0.001 },
        },
        required: ["cmd"],
        additionalProperties: false,
      },
    })
    expect(Object.keys(run?.inputSchema.properties ?? {})).toEqual(["cmd", "seconds"])
    expect(find?.inputSchema).toMatchObject({
      properties: { what: { enum: ["name", "text"] } },
      required: ["what", "pattern"],
    })
  })

  it("translates units, names and results, and says nothing of what is not there", async () => {
    const spoken = speaking.speak(house)
    expect(await spoken.call("run", { cmd: "echo hi; exit 3", seconds: 5 })).toEqual({
      ok: true,
      tool: "run",
      result: { out: "hi\n", code: 3, fine: true },
    })
    expect(await spoken.call("run", { cmd: "sleep 60", seconds: 0.05 })).toMatchObject({
      result: { code: 124 },
    })
  })

  it("F1: a text on the canonical unit is not shown for another, and limits that it does not name are", () => {
    const timeout = { as: "timeout_ms", times: 1_000 }
    const limit = { as: "limit", schema: { description: "How many." } }
    const method = { as: "include_hidden", schema: { type: "boolean" } } as const
    const command = { as: "command", required: true }
    const [run, find] = speaking
      .speak({
        ...house,
        tools: {
          run: { tool: "shell.exec", description: "Runs.", arguments: { command, timeout } },
          find: {
            ...{ tool: "file.glob", description: "Finds.", with: { pattern: "*" } },
            arguments: { limit, method },
          },
        },
      })
      .tools()
    expect(run?.inputSchema.properties?.timeout).toEqual({
      type: "number",
      minimum: 0.001,
      maximum: 86_400,
    })
    expect(find?.inputSchema.properties?.limit).toEqual({
      type: "integer",
      minimum: 1,
      maximum: 2_000,
      default: 500,
      description: "How many.",
    })
  })

  it("O16, O18: repairs and checks in its own words", async () => {
    const spoken = speaking.speak(house)
    expect(await spoken.call("run", '{"cmd": "echo hi", "seconds": "5"}')).toEqual({
      ok: true,
      tool: "run",
      result: { out: "hi\n", code: 0, fine: true },
      warnings: ['seconds: text "5" read as 5'],
    })
    expect(await spoken.call("run", { cmd: "true", timeout_ms: 5 })).toMatchObject({
      ok: false,
      kind: "invalid_args",
      tool: "run",
      field: "timeout_ms",
    })
    expect(await spoken.call("run", { cmd: "true", seconds: 1e9 })).toMatchObject({
      kind: "invalid_args",
      tool: "run",
      field: "seconds",
      message: expect.stringContaining('"seconds"'),
    })
  })

  it("chooses among tools by an argument, and refuses what the chosen one does not take", async () => {
    const spoken = speaking.speak(house)
    await spoken.session.call("file.write", { path: "a.txt", content: "one\ntwo\n" })
    expect(await spoken.call("find", { what: "name", pattern: "*.txt" })).toMatchObject({
      result: { kind: "search", files: ["a.txt"] },
    })
    expect(await spoken.call("find", { what: "TEXT", pattern: "two", around: 1 })).toMatchObject({
      result: { kind: "search", match_count: 1 },
    })
    expect(await spoken.call("find", { what: "name", pattern: "*", around: 1 })).toEqual({
      ok: false,
      kind: "invalid_args",
      message: 'Argument "around" is not for "name"; leave it out.',
      field: "around",
      tool: "find",
      retryable: true,
    })
  })

  it("R11.unknown, R11.arguments, R11.exception: an unknown tool, bad arguments and a failing tool are errors that the model can read", async () => {
    const rath = speaking.speak(openrath)
    const kindOf = async (tool: string, input: unknown) =>
      JSON.parse(String(await rath.call(tool, input)))
    expect(await kindOf("run_shell_commnd", {})).toMatchObject({
      ok: false,
      error_kind: "unknown_tool",
      message: 'There is no tool "run_shell_commnd"; did you mean "run_shell_command"?',
    })
    expect(await kindOf("run_shell_command", "{not json")).toMatchObject({
      error_kind: "invalid_tool_arguments",
    })
    const reading = speaking.speak({ ...flynn, answer: "openrath" })
    expect(JSON.parse(String(await reading.call("file.read", { path: "no" })))).toMatchObject({
      ok: false,
      error_kind: "tool_execution_exception",
      detail: { kind: "not_found" },
    })
  })

  it("Y2: Flynn's answers are success, output and error", async () => {
    const spoken = speaking.speak(flynn)
    expect(await spoken.call("file.write", { path: "y.txt", content: "hello" })).toMatchObject({
      success: true,
    })
    expect(await spoken.call("file.read", { path: "y.txt" })).toEqual({
      success: true,
      output: "hello",
    })
    expect(await spoken.call("file.read", { path: "nowhere" })).toEqual({
      success: false,
      output: "",
      error: "File not found: nowhere",
    })
    expect(await spoken.call("file.edit", { path: "y.txt", search: "no", replace: "" })).toEqual({
      success: false,
      output: "",
      error: expect.stringContaining("search"),
    })
  })

  it("Y14, X12.answers: Flynn's browser answers in the document's words, before what the page has", () => {
    const vocabulary = createVocabulary(flynn, { home: "/home/user", canonical: new Set() })
    const setting = { tools: catalogue, isAllowed: () => true }
    const answered = (tool: string, input: object, result: object) => {
      const { answer } = vocabulary.translate(tool, input, setting)
      const envelope = answer({ ok: true, tool, result })
      return vocabulary.render(envelope, ({ result: shown }) => showResult(undefined, shown))
    }
    const url = "https://example.com/"
    const page = { kind: "page", url, title: "Ducks", tab: 1, console_errors: 0, status: 200 }
    expect(answered("browser.navigate", { url }, page)).toEqual({
      success: true,
      output: `Navigated to ${url}\n200 · Ducks · ${url} · tab 1`,
    })
    const artifact = { id: "a", filename: "screenshot.png", mime_type: "image/png", size: 9 }
    const image = { kind: "image", url, title: "Ducks", width: 8, height: 9, artifact }
    expect(answered("browser.screenshot", {}, image)).toMatchObject({
      output: expect.stringMatching(/^Screenshot taken\nDucks .* 8 × 9\n/),
    })
  })

  it("keeps to the policy, which knows the canonical names", async () => {
    await using guarded = await openSpeaking(memoryHost(), {
      tools: { rules: [{ deny: "shell.exec", when: { command: "rm" }, because: "Ask first." }] },
    })
    const spoken = guarded.speak(flue)
    expect(await spoken.call("bash", { command: "rm -rf a" })).toMatchObject({
      ok: false,
      kind: "rejected",
      tool: "bash",
    })
    await using quiet = await openSpeaking(memoryHost(), {
      tools: { policy: "x", profiles: { x: { allow: ["file.read"] } } },
    })
    expect(
      quiet
        .speak(flue)
        .tools()
        .map(({ name }) => name),
    ).toEqual(["read"])
    expect(await quiet.speak(flue).call("bash", { command: "true" })).toMatchObject({
      kind: "rejected",
      tool: "bash",
    })
  })
})
