import { describe, expect, it } from "vitest"
import {
  cutText,
  type Envelope,
  type EnvelopeFormat,
  failure,
  renderEnvelope,
  success,
} from "../index.ts"

const formats: readonly EnvelopeFormat[] = [
  "anthropic",
  "openai",
  "mcp",
  "flynn",
  "cloudflare",
  "openrath",
]
const good = success("demo.tool", { text: "# Found" }, ["slow disk"])
const bad = failure("demo.tool", {
  kind: "invalid_args",
  message: 'Argument "n" must be <= 3.',
  field: "n",
  expected: "integer from 1 to 3",
})
const said = 'Argument "n" must be <= 3. Expected: integer from 1 to 3.'
const sentence = `invalid_args: ${said}`

describe("an envelope is rendered", () => {
  it("O1: for Anthropic", () => {
    expect(renderEnvelope("anthropic", good)).toEqual({
      content: JSON.stringify(good),
      is_error: false,
    })
    expect(renderEnvelope("anthropic", bad)).toEqual({
      content: JSON.stringify(bad),
      is_error: true,
    })
  })

  it("O1: for OpenAI", () => {
    expect(renderEnvelope("openai", good)).toEqual({ content: JSON.stringify(good) })
    expect(renderEnvelope("openai", bad)).toEqual({ content: JSON.stringify(bad) })
  })

  it("O1: for MCP, with isError and the envelope itself", () => {
    expect(renderEnvelope("mcp", good)).toEqual({
      content: [{ type: "text", text: "# Found\n[warning] slow disk" }],
      structuredContent: good,
      isError: false,
    })
    expect(renderEnvelope("mcp", bad)).toEqual({
      content: [{ type: "text", text: sentence }],
      structuredContent: bad,
      isError: true,
    })
  })

  it("O1: without saying twice what was expected", () => {
    const twice = failure("demo.tool", {
      kind: "invalid_args",
      message: 'Argument "n" must be integer from 1 to 3; got text of 1 character.',
      field: "n",
      expected: "integer from 1 to 3",
    })
    expect(renderEnvelope("mcp", twice).content).toEqual([
      { type: "text", text: `invalid_args: ${twice.message}` },
    ])
  })

  it("Y2: for Flynn: success, output, error", () => {
    expect(renderEnvelope("flynn", good)).toEqual({
      success: true,
      output: "# Found\n[warning] slow disk",
    })
    expect(renderEnvelope("flynn", success("t", { n: 1 }))).toEqual({
      success: true,
      output: '{"n":1}',
    })
    expect(renderEnvelope("flynn", bad)).toEqual({ success: false, output: "", error: said })
  })

  it("Y2: for Flynn, a file and a command's output are given as they are", () => {
    const file = { kind: "file", path: "a", size: 4, offset: 0, bytes: 4 }
    const output = (result: object) => renderEnvelope("flynn", success("t", result))
    expect(output({ ...file, text: "hi\n\n" })).toEqual({ success: true, output: "hi\n\n" })
    expect(output({ ...file, base64: "aGkKCg==" })).toEqual({ success: true, output: "aGkKCg==" })
    const command = { kind: "command", stdout: "out\n", stderr: "", exit_code: 0 }
    expect(output(command).output).toBe("out\n")
    expect(output({ ...command, stdout: "out", stderr: "err\n", exit_code: 3 }).output).toBe(
      "out\nerr\n[exit code 3]",
    )
  })

  it("Y12: for Flynn, a command that its timeout ended failed, with what it wrote", () => {
    const late = { stdout: "out\n", stderr: "", exit_code: 124, timed_out: true, error: "Late." }
    expect(renderEnvelope("flynn", success("t", { kind: "command", ...late }))).toEqual({
      success: false,
      output: "out\n[exit code 124]",
      error: "Late.",
    })
  })

  it("Y13: for Flynn, hidden bytes are counted wherever they were", () => {
    const cut = { text: "ab", kind: "file", size: 10, offset: 3, bytes: 2 }
    expect(renderEnvelope("flynn", success("t", cut)).output).toBe(
      "ab\n[Output truncated - 5 bytes hidden]",
    )
    const { text } = cutText("x".repeat(1_000), 100)
    const hidden = `${"x".repeat(35)}\n[Output truncated - 931 bytes hidden]\n${"x".repeat(34)}`
    const command = { kind: "command", stdout: text, stderr: "", exit_code: 0 }
    expect(renderEnvelope("flynn", success("t", command)).output).toBe(hidden)
    expect(renderEnvelope("flynn", success("t", { text })).output).toBe(hidden)
  })

  it("O1: for Cloudflare, where a command that exits non-zero is an error with its output", () => {
    const command = (exit_code: number) => success("t", { kind: "command", stdout: "x", exit_code })
    expect(renderEnvelope("cloudflare", command(0))).toEqual({
      content: '{"kind":"command","stdout":"x","exit_code":0}',
    })
    expect(renderEnvelope("cloudflare", command(2))).toEqual({
      content: '{"kind":"command","stdout":"x","exit_code":2}',
      isError: true,
    })
    expect(renderEnvelope("cloudflare", command(141))).not.toHaveProperty("isError")
    expect(renderEnvelope("cloudflare", bad)).toEqual({ content: said, isError: true })
    expect(renderEnvelope("cloudflare", success("t", "plain"))).toEqual({ content: "plain" })
  })
})

describe("nothing gets lost", () => {
  it.each<[string, unknown]>([
    ["an object", { a: 1 }],
    ["a text", "plain"],
    ["a list", [1, 2]],
    ["null", null],
    ["an object with warnings of its own", { warnings: ["its own"] }],
    ["a listing", { kind: "listing", entries: [{ name: "a" }] }],
    ["a truth", true],
  ])("O2: found defect: a warning beside %s is in every rendering", (_, result) => {
    const envelope = success("demo.tool", result, ["slow disk"])
    for (const format of formats) {
      const rendered = JSON.stringify(renderEnvelope(format, envelope))
      expect({ format, warned: rendered.includes("slow disk") }).toEqual({ format, warned: true })
      expect(rendered.includes("its own")).toBe(JSON.stringify(result).includes("its own"))
    }
  })

  it("O8: the message of a failure is in every rendering, and its kind where that has a place", () => {
    const failed: Envelope = failure("demo.tool", { kind: "timeout", message: "Too late." })
    for (const format of formats) {
      const rendered = JSON.stringify(renderEnvelope(format, failed))
      expect(rendered).toContain("Too late.")
      const hasKind = format !== "flynn" && format !== "cloudflare"
      expect([format, rendered.includes("timeout")]).toEqual([format, hasKind])
    }
  })
})
