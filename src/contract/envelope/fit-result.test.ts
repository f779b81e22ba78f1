import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { cpuMs } from "../../../test/support/cpu-time.ts"
import { fitResult, limits } from "../index.ts"

const whole = (value: unknown) => ({ ok: true, value, notes: [], cutBytes: 0 })
const refused = (reason: string) => ({ ok: false, reason })
const jsonBytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value)).length

describe("a result that JSON can hold", () => {
  it("O35, O2: stays as it is, as a copy", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(fitResult(value)).toEqual(whole(JSON.parse(JSON.stringify(value))))
      }),
    )
    const value = { a: [1] }
    const fitted = fitResult(value)
    value.a.push(2)
    expect(fitted).toEqual(whole({ a: [1] }))
  })

  it.each<[string, unknown, unknown]>([
    ["undefined", undefined, null],
    ["an undefined field, which is left out", { a: undefined, b: 1 }, { b: 1 }],
    ["an undefined item", [undefined, 1], [null, 1]],
    ["a date", { at: new Date(0) }, { at: "1970-01-01T00:00:00.000Z" }],
    ["a date that is none", new Date(Number.NaN), null],
    ["an address", new URL("http://a.b/c"), "http://a.b/c"],
    ["an object with no prototype", Object.assign(Object.create(null), { a: 1 }), { a: 1 }],
    ["a hole in a list", new Array(3), [null, null, null]],
    ["what toJSON gives, once", { toJSON: () => ({ a: { toJSON: () => 2 } }) }, { a: 2 }],
  ])("O35: %s", (_, value, expected) => {
    expect(fitResult(value)).toEqual(whole(expected))
  })

  it("O35: keys such as __proto__ stay keys", () => {
    const fitted = fitResult(JSON.parse('{"__proto__": {"a": 1}}'))
    expect(JSON.stringify(fitted)).toBe(
      '{"ok":true,"value":{"__proto__":{"a":1}},"notes":[],"cutBytes":0}',
    )
  })

  it("O35: the same object in two places is no cycle", () => {
    const shared = { a: 1 }
    expect(fitResult({ x: shared, y: [shared, shared] })).toEqual(
      whole({ x: { a: 1 }, y: [{ a: 1 }, { a: 1 }] }),
    )
  })

  it("O35: numbers that JSON does not know become null, with a note", () => {
    expect(fitResult({ a: Number.NaN, b: [Number.POSITIVE_INFINITY] })).toEqual({
      ok: true,
      value: { a: null, b: [null] },
      cutBytes: 0,
      notes: [
        "result.a: NaN is not a JSON number, given as null",
        "result.b[0]: Infinity is not a JSON number, given as null",
      ],
    })
  })
})

describe("a result that JSON can't hold is refused with what it is and where", () => {
  const cycle: { list: unknown[] } = { list: [1] }
  cycle.list.push(cycle)
  const itself: { toJSON?: () => unknown } = {}
  itself.toJSON = () => itself
  const deep = Array.from({ length: 300 }).reduce<unknown>((inner) => [inner], 1)

  it.each<[string, unknown, string]>([
    ["a bigint", { n: 1n }, "result.n is a bigint, which JSON can't hold"],
    ["a function", [() => 1], "result[0] is a function, which JSON can't hold"],
    ["a symbol", Symbol("x"), "result is a symbol, which JSON can't hold"],
    ["a cycle", cycle, "result.list[1] contains itself"],
    ["a toJSON that gives itself", itself, "result contains itself"],
    ["a Map", { m: new Map() }, "result.m is a Map, which JSON can't hold"],
    ["a Set", new Set(), "result is a Set, which JSON can't hold"],
    ["bytes", { data: new Uint8Array(3) }, "result.data is a Uint8Array, which JSON can't hold"],
    ["a buffer", { data: Buffer.from("x") }, "result.data is a Buffer, which JSON can't hold"],
    ["a raw buffer", new ArrayBuffer(3), "result is a ArrayBuffer, which JSON can't hold"],
    [
      "a promise",
      { later: Promise.resolve(1) },
      "result.later is a Promise, which JSON can't hold",
    ],
    ["hostile depth", deep, "the result is nested too deeply"],
    [
      "a getter that throws",
      Object.defineProperty({}, "a", {
        enumerable: true,
        get: () => {
          throw new Error("not today")
        },
      }),
      "reading it failed with: not today",
    ],
    [
      "a toJSON that throws no error",
      {
        toJSON: () => {
          throw "no"
        },
      },
      "reading it failed with: no",
    ],
  ])("O35: %s", (_, value, reason) => {
    expect(fitResult(value)).toEqual(refused(reason))
  })
})

describe("a result that is too large", () => {
  it("O34, O35: keeps head and tail of a long text and says how much is missing", () => {
    expect(fitResult({ log: "x".repeat(60_000) })).toEqual({
      ok: true,
      value: {
        log: `${"x".repeat(24_984)}\n[... 10032 bytes left out ...]\n${"x".repeat(24_984)}`,
      },
      notes: ["result.log: 10032 bytes left out"],
      cutBytes: 10_032,
    })
  })

  it("O35, R7: keeps the first of many items and of many keys, and says how many are missing", () => {
    const items = Array.from({ length: 100_000 }, (_, index) => index)
    expect(fitResult({ items })).toEqual({
      ok: true,
      value: { items: items.slice(0, 1_000) },
      notes: ["result.items: 99000 more items left out"],
      cutBytes: null,
    })
    const keys = Object.fromEntries(items.map((index) => [`k${index}`, index]))
    expect(fitResult(keys)).toEqual({
      ok: true,
      value: Object.fromEntries(Object.entries(keys).slice(0, 1_000)),
      notes: ["result: 99000 more keys left out"],
      cutBytes: null,
    })
  })

  it("O35: found defect: is measured in bytes of JSON, where a control character takes six", () => {
    for (const letter of ["\u0001", "語", "\\", '"', "\ud800"]) {
      const texts = Array.from({ length: 20 }, () => letter.repeat(12_000))
      const fitted = fitResult({ texts })
      expect(fitted.ok && jsonBytes(fitted.value)).toBeLessThanOrEqual(limits.resultBytes)
      expect(fitted.ok && fitted.notes.length).toBeGreaterThan(0)
    }
  })

  it("O35: always fits, whatever it was made of", () => {
    const leaf = fc.oneof(
      fc.string({ unit: "binary", maxLength: 3_000 }),
      fc.string({ unit: "grapheme", maxLength: 3_000 }),
      fc.double(),
      fc.boolean(),
      fc.constant(null),
    )
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        leaf,
        fc.array(tie("value"), { maxLength: 40 }),
        fc.dictionary(fc.string({ maxLength: 200 }), tie("value"), { maxKeys: 40 }),
      ),
    }))
    fc.assert(
      fc.property(value, fc.integer({ min: 100, max: 5_000 }), (given, most) => {
        const fitted = fitResult(given, { textBytes: limits.textBytes, resultBytes: most })
        expect(fitted.ok && jsonBytes(fitted.value)).toBeLessThanOrEqual(most)
      }),
      { numRuns: 200 },
    )
  })

  it("O35: of a million small parts in parts, gives the start of the JSON text", () => {
    const tree = (levels: number): unknown =>
      levels === 0 ? 7 : Array.from({ length: 10 }, () => tree(levels - 1))
    const fitted = fitResult(tree(6))
    expect(fitted).toEqual({
      ok: true,
      value: { text: expect.stringMatching(/^\[{6}7,7,/) },
      notes: ["result: too many parts, given as the start of its JSON text"],
      cutBytes: null,
    })
    expect(fitted.ok && jsonBytes(fitted.value)).toBeLessThanOrEqual(limits.resultBytes)
  })

  it("O35: found defect: objects that share parts in parts are never written out whole", () => {
    const shared = Array.from({ length: 30 }).reduce<unknown>(
      (inner) => Array.from({ length: 10 }, () => inner),
      "x",
    )
    expect(fitResult(shared).ok).toBe(true)
    expect(cpuMs(() => fitResult(shared))).toBeLessThan(2_000)
  })

  it("O35, Y13: a text of a hundred million bytes takes little time", () => {
    const log = "x".repeat(100_000_000)
    expect(fitResult({ log })).toEqual({
      ok: true,
      value: { log: expect.any(String) },
      notes: ["result.log: 99950036 bytes left out"],
      cutBytes: 99_950_036,
    })
    expect(cpuMs(() => fitResult({ log }))).toBeLessThan(1_500)
  })

  it("O35: ten million small items take little time", () => {
    const items = new Array(10_000_000).fill(1)
    expect(fitResult(items)).toEqual({
      ok: true,
      value: new Array(1_000).fill(1),
      notes: ["result: 9999000 more items left out"],
      cutBytes: null,
    })
    expect(cpuMs(() => fitResult(items))).toBeLessThan(1_000)
  })
})
