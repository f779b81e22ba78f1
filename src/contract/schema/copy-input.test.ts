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

it("a copy reads each part once, and takes nothing but data", () => {
  let reads = 0
  const list = Object.assign(["a"], { map: () => ["b"], [Symbol.iterator]: () => ["c"].values() })
  const input = {
    list,
    get part() {
      reads += 1
      return reads === 1 ? "first" : "later"
    },
  }
  const copied = copyInput(input)
  expect(copied).toEqual({ list: ["a"], part: "first" })
  expect([copied.part, reads]).toEqual(["first", 1])
})

it("a copy ends where the levels do, also in a circle", () => {
  const circle: { inner?: object } = {}
  circle.inner = circle
  expect(() => copyInput(circle, 100)).toThrow("nested too deeply")
  expect(copyInput({ a: [{ b: 1 }] }, 2)).toEqual({ a: [{ b: 1 }] })
  expect(() => copyInput({ a: [{ b: 1 }] }, 1)).toThrow("nested too deeply")
})
