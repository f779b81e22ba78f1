import { expect, it } from "vitest"
import { errorCode, errorText } from "./errors.ts"

it("quotes an error's message, and anything else that was thrown as text", () => {
  expect(errorText(new TypeError("no such thing"))).toBe("no such thing")
  expect(errorText("plain text")).toBe("plain text")
  expect(errorText(undefined)).toBe("undefined")
})

it("names the code of a system error, and none of an error without one", () => {
  expect(errorCode(Object.assign(new Error("missing"), { code: "ENOENT" }))).toBe("ENOENT")
  expect(errorCode(Object.assign(new Error("odd"), { code: 7 }))).toBeUndefined()
  expect(errorCode({ code: "ENOENT" })).toBeUndefined()
})
