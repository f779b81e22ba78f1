import { expect, it } from "vitest"
import { quoteArguments } from "./quote-arguments.ts"

it("writes words so that a shell reads back exactly these words", () => {
  expect(quoteArguments(["echo", "a b", "it's", ""])).toBe("'echo' 'a b' 'it'\\''s' ''")
})
