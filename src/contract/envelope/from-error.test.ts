import { describe, expect, it } from "vitest"
import { DefinitionError, failureFrom, ToolFailure } from "../index.ts"

function systemError(code: unknown, message: string): Error {
  return Object.assign(new Error(message), { code })
}

describe("a thrown error becomes a failure", () => {
  it.each<[string, unknown, object]>([
    [
      "a ToolFailure, as it is",
      new ToolFailure({
        kind: "rejected",
        message: "No.",
        field: "a",
        expected: "b",
        retryable: true,
      }),
      { kind: "rejected", message: "No.", field: "a", expected: "b", retryable: true },
    ],
    [
      "a tool that is defined wrongly",
      new DefinitionError("Bad schema."),
      { kind: "unavailable", message: "Bad schema.", retryable: false },
    ],
    [
      "an ordinary error",
      new TypeError("x is not a function"),
      { kind: "execution_error", message: "x is not a function" },
    ],
    [
      "an error without a message",
      new RangeError(""),
      { kind: "execution_error", message: "The tool failed with RangeError and no message." },
    ],
    [
      "a timeout of the platform",
      new DOMException("The operation timed out.", "TimeoutError"),
      { kind: "timeout", message: "The operation timed out." },
    ],
    [
      "an abort of the platform",
      new DOMException("This operation was aborted", "AbortError"),
      { kind: "execution_error", message: "This operation was aborted" },
    ],
    [
      "text",
      "it broke",
      { kind: "execution_error", message: 'The tool threw the text "it broke".' },
    ],
    ["null", null, { kind: "execution_error", message: "The tool threw null." }],
    [
      "undefined",
      undefined,
      {
        kind: "execution_error",
        message: "The tool threw a value of type undefined that is not an error.",
      },
    ],
    [
      "an object",
      { code: "ENOENT", message: "secret" },
      {
        kind: "execution_error",
        message: "The tool threw a value of type object that is not an error.",
      },
    ],
    [
      "a symbol",
      Symbol("x"),
      {
        kind: "execution_error",
        message: "The tool threw a value of type symbol that is not an error.",
      },
    ],
  ])("O14: %s", (_, error, failure) => {
    expect(failureFrom(error)).toEqual(failure)
  })

  it.each<[unknown, string]>([
    ["ENOENT", "not_found"],
    ["ENOTDIR", "invalid_args"],
    ["EISDIR", "invalid_args"],
    ["ENAMETOOLONG", "invalid_args"],
    ["ETIMEDOUT", "timeout"],
    ["ECONNREFUSED", "unavailable"],
    ["EPERM", "execution_error"],
    [5, "execution_error"],
  ])("O10, O14: of the system, by its code %s: %s", (code, kind) => {
    expect(failureFrom(systemError(code, "It failed."))).toEqual({ kind, message: "It failed." })
  })

  it.each<[unknown]>([["constructor"], ["__proto__"], ["toString"], [Symbol("x")], [{}]])(
    "O14: found defect: a code that an object inherits, or that is no text, means nothing",
    (code) => {
      expect(failureFrom(systemError(code, "It failed."))).toEqual({
        kind: "execution_error",
        message: "It failed.",
      })
    },
  )

  it.each<[unknown]>([[undefined], [{ a: 1 }], [5]])(
    "O14: found defect: an error whose message is no text (%j) is no reason to throw another",
    (message) => {
      const error = Object.assign(new Error("x"), { message })
      expect(failureFrom(error)).toEqual({
        kind: "execution_error",
        message: "The tool failed with Error and no message.",
      })
    },
  )
})

describe("a message for a model", () => {
  it("O14: leaves out the stack trace that some errors carry in it", () => {
    const message = "Can't read.\n    at read (/home/me/secret.ts:5:1)\n    at async run (x.ts:1:1)"
    expect(failureFrom(new Error(message)).message).toBe("Can't read.")
  })

  it("O14: keeps further lines, and of a page only its start", () => {
    expect(failureFrom(new Error("One.\nTwo, at home.")).message).toBe("One.\nTwo, at home.")
    expect(failureFrom(new Error("x".repeat(10_000))).message).toBe(`${"x".repeat(500)}…`)
    expect(failureFrom("y".repeat(10_000)).message).toBe(
      `The tool threw the text "${"y".repeat(500)}…".`,
    )
  })
})
