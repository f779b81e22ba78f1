import { expect, it } from "vitest"
import { copyInput } from "./copy-input.ts"

it("a copy is equal and shares nothing, whatever is in it", () => {
  const input = {
    text: "a",
    list: [1, [true, null], { deep: "b" }],
    nothing: undefined,
    when: new Date(0),
    odd: JSON.parse('{"__proto__": {"a": 1}, "b": 2}'),
  }
  const copied = copyInput(input)
  expect(copied).toEqual(input)
  expect(copied.list).not.toBe(input.list)
  expect(copied.list[2]).not.toBe(input.list[2])
  expect(copied.when).not.toBe(input.when)
  expect(Object.keys(copied.odd)).toEqual(["__proto__", "b"])
  expect(Object.keys(copied)).toEqual(Object.keys(input))
  expect(() => copyInput({ run: () => 1 })).toThrow("could not be cloned")
})
