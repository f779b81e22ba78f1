import type { Random } from "./random.ts"

type Mutation = (value: unknown, random: Random) => unknown

/** A valid input made wrong, as models and attackers make it. The valid one is not changed. */
export function mutateInput(valid: unknown, random: Random): unknown {
  let input = structuredClone(valid)
  for (let count = random.below(4); count > 0; count -= 1) {
    input = mutateSomewhere(input, random, 0)
  }
  return random.chance(0.15) ? random.pick(wholeMutations)(input, random) : input
}

/** Goes down into the value for a while, and changes what it finds there. */
function mutateSomewhere(value: unknown, random: Random, depth: number): unknown {
  const keys = typeof value === "object" && value !== null ? Object.keys(value) : []
  const goesOn = keys.length > 0 && depth < 20 && random.chance(depth === 0 ? 0.8 : 0.6)
  if (!goesOn) return random.pick(mutations)(value, random)
  const key = random.pick(keys)
  const inner = mutateSomewhere((value as Record<string, unknown>)[key], random, depth + 1)
  if (Array.isArray(value)) return value.with(Number(key), inner)
  return withKey(value as object, key, inner)
}

/** Defined, not assigned, so that "__proto__" becomes a key. */
function withKey(value: object, key: string, part: unknown): object {
  return Object.fromEntries([
    ...Object.entries(value).filter(([name]) => name !== key),
    [key, part],
  ])
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

const scalars: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -0,
  1,
  -1,
  1.5,
  1e308,
  -1e308,
  2 ** 53,
  Number.MIN_VALUE,
  "",
  " ",
  "\n\t",
  "0",
  "15",
  " 15 ",
  "15.0",
  "+5",
  "0x10",
  "1e999",
  "٣",
  "3.14",
  "true",
  "YES",
  "no",
  "null",
  "undefined",
  "[]",
  "{}",
  "[1,",
  '["a","b"]',
  '{"a":1}',
  "\ud800",
  "a\udc00b",
  "\0",
  "../../etc/passwd",
]

const prototypeKeys = ["__proto__", "constructor", "prototype", "toString", "hasOwnProperty"]
const unknownKeys = [
  "",
  "extra",
  "Path",
  "pth",
  "file_path",
  "a.b",
  "x".repeat(500),
  "\ud800",
  "properties",
]

const otherValue: Mutation = (_, random) => random.pick([...scalars, [], {}, [[]], { a: {} }])

/** To parse megabytes takes its time in any program; up to here it is part of what is timed. */
const longestJsonText = 500_000

const asJsonText: Mutation = (value) => {
  try {
    const text = JSON.stringify(value) ?? "undefined"
    return text.length > longestJsonText ? value : text
  } catch (error) {
    // Too deep for JSON.stringify.
    if (error instanceof RangeError) return "["
    throw error
  }
}

const blank: Mutation = (_, random) => random.pick(["", " ", "\t\n", "\u00a0"])

const otherCase: Mutation = (value, random) => {
  if (typeof value !== "string") return value
  return random.pick([value.toUpperCase(), value.toLowerCase(), ` ${value} `, `${value}\ud800`])
}

const unknownKey: Mutation = (value, random) =>
  isObject(value) ? withKey(value, random.pick(unknownKeys), random.pick(scalars)) : value

const prototypeKey: Mutation = (value, random) =>
  isObject(value)
    ? withKey(value, random.pick(prototypeKeys), random.pick([{ path: "x" }, ...scalars]))
    : value

const withoutKey: Mutation = (value, random) => {
  if (!isObject(value)) return null
  const dropped = random.pick(["", ...Object.keys(value)])
  return Object.fromEntries(Object.entries(value).filter(([key]) => key !== dropped))
}

const renamedKey: Mutation = (value, random) => {
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => [
      random.chance(0.5) ? random.pick([key.toUpperCase(), `${key}s`, key.slice(1)]) : key,
      part,
    ]),
  )
}

const wrapped: Mutation = (value, random) =>
  random.pick([[value], { value }, { properties: value }, [value, value]])

const longer: Mutation = (value, random) => {
  const list = Array.isArray(value) ? value : [value]
  return Array.from({ length: random.pick([0, 10, 200]) }, (_, index) => list[index % list.length])
}

const deep: Mutation = (value, random) => {
  const levels = random.pick([3, 70, 2_000])
  const key = random.pick(["", "a", "properties"])
  let nested = value
  for (let level = 0; level < levels; level += 1) nested = key === "" ? [nested] : { [key]: nested }
  return nested
}

const deepText: Mutation = (_, random) => {
  const levels = random.pick([100, 5_000])
  return random.chance(0.5)
    ? `${"[".repeat(levels)}${"]".repeat(levels)}`
    : `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`
}

/** Mostly thousands of characters, now and then a million, but never more than a million as JSON text. */
const huge: Mutation = (_, random) => {
  const letter = random.pick(["x", " ", "1", "\ud800", "語", '"', "["])
  const length = random.chance(0.03) ? 1_000_000 : 5_000
  return letter.repeat(length / (JSON.stringify(letter).length - 2))
}

/** The likelier ones stand here more than once. */
const mutations: readonly Mutation[] = [
  ...[otherValue, otherValue, otherValue, asJsonText, asJsonText, asJsonText, otherCase, otherCase],
  ...[blank, unknownKey, unknownKey, prototypeKey, withoutKey, withoutKey, renamedKey, wrapped],
  ...[longer, huge],
  (value, random) => (random.chance(0.25) ? deep(value, random) : asJsonText(value, random)),
  (value, random) => (random.chance(0.25) ? deepText(value, random) : otherValue(value, random)),
]

/** What only happens to an input as a whole. */
const wholeMutations: readonly Mutation[] = [
  asJsonText,
  (value, random) => String(asJsonText(value, random)).slice(0, -1),
  (value) => ({ properties: value }),
  (value, random) => asJsonText({ properties: value }, random),
  (value) => [value],
  (_, random) => random.pick([undefined, ...scalars, [], () => 1, Symbol("x"), 15n]),
  (value) => (isObject(value) ? Object.create(value) : value),
  (value) => (isObject(value) ? Object.assign(Object.create(null), value) : value),
]
