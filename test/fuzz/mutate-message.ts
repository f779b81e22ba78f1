import type { Random } from "./random.ts"

/** Nearly what a message should be: a part of it is another value, gone, there twice, deep, long or named badly. */
export function mutateMessage(message: unknown, random: Random): unknown {
  let mutated: unknown = structuredClone(message)
  for (let count = 1 + random.below(3); count > 0; count -= 1) mutated = mutateOnce(mutated, random)
  return mutated
}

function mutateOnce(value: unknown, random: Random): unknown {
  const isGroup = typeof value === "object" && value !== null
  if (!isGroup || random.chance(0.12)) return oddValue(random)
  const entries = Object.entries(value)
  if (entries.length === 0) return oddValue(random)
  const at = random.below(entries.length)
  const entry = entries[at] as [string, unknown]
  switch (random.below(8)) {
    case 0:
      entries.splice(at, 1)
      break
    case 1:
      entry[0] = random.pick(oddNames)
      break
    case 2:
      entries.push([random.pick(oddNames), oddValue(random)])
      break
    case 3:
      entry[1] = oddValue(random)
      break
    default:
      entry[1] = mutateOnce(entry[1], random)
  }
  // Parsed, a key such as __proto__ is a key and nothing else.
  if (Array.isArray(value)) return entries.map(([, one]) => one)
  const pairs = entries.map(
    ([key, one]) => `${JSON.stringify(key)}:${JSON.stringify(one) ?? "null"}`,
  )
  return JSON.parse(`{${pairs.join(",")}}`)
}

const oddNames = [
  "__proto__",
  "constructor",
  "toString",
  "",
  "id",
  "method",
  "_meta",
  "$ref",
  "type",
  "\u0000",
]

function oddValue(random: Random): unknown {
  switch (random.below(8)) {
    case 0:
      return random.pick([null, true, false, 0, -1, 1e308, 2 ** 53, 0.5, -0])
    case 1:
      return random.pick([
        "",
        " ",
        "2.0",
        "object",
        "\u0000",
        "\ud800",
        "\u202eabc",
        "../../etc/passwd",
      ])
    case 2:
      return "x".repeat(random.below(5_000))
    case 3:
      return Array.from({ length: random.below(50) }, () => random.below(10))
    case 4:
      return nested(random.below(400))
    case 5:
      return JSON.parse(
        '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}',
      )
    case 6:
      return { $ref: random.pick(["#", "#/x", "#/properties/__proto__", "http://127.0.0.1:1/"]) }
    default:
      return random.pick([[], {}, [null], [[]], { a: {} }])
  }
}

function nested(depth: number): unknown {
  let value: unknown = {}
  for (let count = 0; count < depth; count += 1) value = count % 2 === 0 ? [value] : { a: value }
  return value
}

/** Nearly what a text should be: cut, with bytes of another kind, or a part of it twice. */
export function mutateBytes(text: string, random: Random): Buffer {
  const bytes = Buffer.from(text)
  const at = random.below(bytes.length + 1)
  const rest = bytes.subarray(at)
  switch (random.below(6)) {
    case 0:
      return bytes.subarray(0, at)
    case 1:
      return Buffer.concat([bytes.subarray(0, at), Buffer.from([random.below(256)]), rest])
    case 2:
      return Buffer.concat([bytes.subarray(0, at), Buffer.from([0xff, 0xfe, 0x00, 0xc3]), rest])
    case 3:
      return Buffer.concat([bytes, rest])
    case 4:
      return Buffer.concat([Buffer.from("\ufeff"), bytes])
    default:
      return Buffer.concat([
        bytes.subarray(0, at),
        Buffer.from(random.pick(["\n", "\r\n", "\r", "}{", "[", "\\"])),
        rest,
      ])
  }
}
