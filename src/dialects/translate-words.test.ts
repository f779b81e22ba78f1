import { expect, it } from "vitest"
import { catalogue } from "../tools/index.ts"
import { osaurus } from "./tables/osaurus.ts"
import { createWords, withoutArgument } from "./translate-words.ts"

const words = createWords(osaurus, new Set(catalogue().map(({ name }) => name)))
const own = {
  tool: "sandbox_exec",
  canonical: "shell.exec",
  arguments: new Map([["idle_timeout_ms", "timeout"]]),
  absent: ["timeout_ms", "env", "path"],
}

it.each([
  ["End it with process.kill.", "End it with sandbox_process."],
  ["It ended; read on with process.output.", "It ended; read on."],
  ["It ended; process.output has the rest.", "It ended."],
  ["There is no idle_timeout_ms here.", "There is no timeout here."],
  ["It took too long. Give it more timeout_ms, or wait.", "It took too long."],
  ['"timeout_ms.txt" does not exist.', '"timeout_ms.txt" does not exist.'],
  ["The path of an env is here.", "The path of an env is here."],
])("O23, X12: a text on canonical tools and arguments: %s", (text, said) => {
  expect(words.translate(text, own)).toBe(said)
})

it.each([
  ['"edits[0].search" matches nothing.', '"oldText" matches nothing.'],
  ['It matches 2 places; or set "edits[0].all" to true.', "It matches 2 places."],
  ['"notes[0].md" does not exist.', '"notes[0].md" does not exist.'],
  ["a regular expression, or fixed: true for plain text", "a regular expression"],
])("F1, X12: a part of an argument: %s", (text, said) => {
  const parts = new Map([["edits[0].search", "oldText"]])
  expect(words.translate(text, { ...own, arguments: parts, absent: ["edits", "fixed"] })).toBe(said)
})

it("O23, X12: what is said of an argument that is not there goes, unless nothing else is said", () => {
  const text = '"a.bin" is not UTF-8 text here; read it with encoding "base64".'
  expect(withoutArgument(text, "encoding")).toBe('"a.bin" is not UTF-8 text here.')
  expect(withoutArgument("Choose an encoding.", "encoding")).toBe("Choose an encoding.")
})
