import { expect, it } from "vitest"
import { Tail } from "./tail.ts"

it("O24, Y16: what was printed before a page came and what comes live are joined without gaps and doubles", () => {
  const tail = new Tail(100)
  // The record is behind what comes live.
  expect(tail.begin({ text: "ab", until: 2 })).toBe(true)
  expect(tail.add({ text: "ef", until: 6 })).toBe(false)
  tail.add({ text: "gh", until: 8 })
  expect(tail.begin({ text: "abc", until: 3 })).toBe(false)
  // Now it reaches into it.
  expect(tail.begin({ text: "abcde", until: 5 })).toBe(true)
  expect(tail.text).toBe("abcdefgh")
  expect(tail.add({ text: "ij", until: 10 })).toBe(true)
  expect(tail.text).toBe("abcdefghij")
  // The connection was lost for a while.
  tail.restart()
  expect(tail.add({ text: "no", until: 15 })).toBe(false)
  expect(tail.begin({ text: "hijklmn", until: 14 })).toBe(true)
  expect(tail.text).toBe("hijklmno")
})

it("O24: what was recorded and never came live is noticed", () => {
  const tail = new Tail(100)
  expect(tail.isBehind(0)).toBe(false)
  expect(tail.isBehind(2)).toBe(true)
  tail.begin({ text: "ab", until: 2 })
  expect(tail.isBehind(2)).toBe(false)
  expect(tail.isBehind(3)).toBe(true)
  // What comes live goes on by itself.
  tail.add({ text: "c", until: 3 })
  expect(tail.isBehind(9)).toBe(false)
})

it("O24: what the record had already is not shown again, and what a flood leaves out is not looked for", () => {
  const tail = new Tail(5)
  tail.begin({ text: "äb", until: 3 })
  expect(tail.add({ text: "bc", until: 4 })).toBe(true)
  expect(tail.text).toBe("äbc")
  expect(tail.add({ text: "yz", until: 900 })).toBe(true)
  expect(tail.text).toBe("äbcyz")
  const fresh = new Tail(5)
  expect(fresh.add({ text: "first", until: 5 })).toBe(true)
  expect(fresh.add({ text: "!", until: 6 })).toBe(true)
  expect(fresh.text).toBe("irst!")
})
