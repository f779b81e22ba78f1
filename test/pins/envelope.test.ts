import { describe, expect, it } from "vitest"
import { failure, success } from "../../src/contract/index.ts"

describe("the envelope", () => {
  it("O2: of a success", () => {
    expect(JSON.stringify(success("file.read", { kind: "file", text: "hi" }))).toBe(
      '{"ok":true,"tool":"file.read","result":{"kind":"file","text":"hi"}}',
    )
  })

  it("O2: of a success with warnings", () => {
    expect(JSON.stringify(success("shell.exec", null, ["one", "two"]))).toBe(
      '{"ok":true,"tool":"shell.exec","result":null,"warnings":["one","two"]}',
    )
  })

  it("O8: of a failure", () => {
    expect(JSON.stringify(failure("file.read", { kind: "not_found", message: "Gone." }))).toBe(
      '{"ok":false,"kind":"not_found","message":"Gone.","tool":"file.read","retryable":false}',
    )
  })

  it("O8: of a failure that names a field", () => {
    const details = {
      kind: "invalid_args",
      message: "No.",
      field: "edits[2].search",
      expected: "a text",
    } as const
    expect(JSON.stringify(failure("file.edit", details))).toBe(
      '{"ok":false,"kind":"invalid_args","message":"No.","field":"edits[2].search",' +
        '"expected":"a text","tool":"file.edit","retryable":true}',
    )
  })

  it("O8: of a failure that decides by itself whether trying again may help", () => {
    const details = { kind: "timeout", message: "Late.", retryable: false } as const
    expect(JSON.stringify(failure("web.fetch", details))).toBe(
      '{"ok":false,"kind":"timeout","message":"Late.","tool":"web.fetch","retryable":false}',
    )
  })
})
