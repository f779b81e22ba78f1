import { describe, expect, it } from "vitest"
import {
  type AnyResult,
  failure,
  failureMessage,
  isError,
  isSuccess,
  success,
  successPayload,
} from "../index.ts"

const good = success("demo.tool", { text: "hi" })
const bad = failure("demo.tool", { kind: "timeout", message: "Too late." })

function look(result: AnyResult) {
  return {
    error: isError(result),
    success: isSuccess(result),
    payload: successPayload(result),
    message: failureMessage(result),
  }
}

describe("a success", () => {
  it.each<[string, AnyResult]>([
    ["an envelope", good],
    ["its JSON text", JSON.stringify(good)],
    ["its JSON text after a line end", `\n${JSON.stringify(good)}`],
  ])("O11.detect: is recognised as %s", (_, result) => {
    expect(look(result)).toEqual({
      error: false,
      success: true,
      payload: { text: "hi" },
      message: typeof result === "string" ? result : JSON.stringify(result),
    })
  })

  it("O11.detect: may have null as its payload, and the word error inside", () => {
    const odd = { ok: true, tool: "t", result: null, error: "not one" }
    expect(look(odd)).toEqual({
      error: false,
      success: true,
      payload: null,
      message: JSON.stringify(odd),
    })
  })
})

describe("a failure", () => {
  it.each<[string, AnyResult, string]>([
    ["an envelope", bad, "Too late."],
    ["its JSON text", JSON.stringify(bad), "Too late."],
    ["legacy text [REJECTED]", "[REJECTED] Not on a Sunday.", "Not on a Sunday."],
    ["legacy text [TIMEOUT]", "  [TIMEOUT]  after 120 s\n", "after 120 s"],
    ["legacy JSON with a text", '{"error": "no disk"}', "no disk"],
    ["legacy JSON with success false", '{"success": false, "error": "no disk"}', "no disk"],
    ["legacy JSON with kind and message", '{"error": "timeout", "message": "Slow."}', "Slow."],
    [
      "legacy JSON with an object",
      { error: { kind: "not_found", message: "No such file." } },
      "No such file.",
    ],
    ["an envelope that says nothing", { ok: false }, '{"ok":false}'],
    ["an envelope that only has an old error", { ok: false, error: "no disk" }, "no disk"],
  ])("O11.detect, O11.legacy: is recognised as %s", (_, result, message) => {
    expect(look(result)).toEqual({ error: true, success: false, payload: undefined, message })
  })
})

describe("anything else", () => {
  it.each<[string, AnyResult]>([
    ["plain text", "All good."],
    ["text that only mentions a prefix", "It said [TIMEOUT]."],
    ["empty text", ""],
    ["broken JSON", '{"ok": false'],
    ["a JSON list", "[1]"],
    ["an object of its own", { stdout: "", exit_code: 0 }],
    ["an error that is null", { error: null }],
    ["ok that is only truthy", { ok: 1, result: 5 }],
    ["a success without a result", { ok: true }],
  ])("O11.detect: is neither: %s", (_, result) => {
    expect(look(result)).toEqual({
      error: false,
      success: false,
      payload: undefined,
      message: typeof result === "string" ? result : JSON.stringify(result),
    })
  })
})
