import { spawnSync } from "node:child_process"
import fc from "fast-check"
import { RE2JS } from "re2js"
import { expect, it } from "vitest"
import { z } from "zod"
import {
  childSchemas,
  defineTool,
  isObject,
  type JsonSchema,
  renderTools,
  type Tool,
  toolFormats,
} from "../../src/contract/index.ts"
import { isPortablePattern } from "../../src/contract/schema/portable-pattern.ts"
import { dialectNames } from "../../src/dialects/index.ts"
import { openToolkeep } from "../../src/session/index.ts"
import { builtInTools } from "../fuzz/fuzz-tools.ts"
import { temporaryHome } from "../support/mcp/bridge-fixture.ts"

/** The patterns that Python's re refuses, each with its reason. */
function refusedByPython(patterns: readonly string[]): readonly string[] {
  const script = `import json, re, sys, warnings
warnings.simplefilter("error")
for pattern in json.load(sys.stdin):
    try:
        re.compile(pattern)
    except Exception as error:
        print(json.dumps(pattern + ": " + str(error)))`
  const { stdout, error } = spawnSync("python3", ["-c", script], {
    input: JSON.stringify(patterns),
    encoding: "utf8",
  })
  if (error) throw new Error("This test needs python3: apt-get install python3.", { cause: error })
  const lines = stdout.split("\n").filter((line) => line !== "")
  return lines.map((line) => JSON.parse(line))
}

function refusedBy(compile: (pattern: string) => unknown, patterns: readonly string[]) {
  return patterns.flatMap((pattern) => {
    try {
      compile(pattern)
      return []
    } catch (error) {
      return [`${pattern}: ${error}`]
    }
  })
}

function requireReadable(patterns: readonly string[]): void {
  expect(refusedBy((pattern) => new RegExp(pattern, "u"), patterns)).toEqual([])
  expect(refusedBy((pattern) => RE2JS.compile(pattern), patterns)).toEqual([])
  expect(refusedByPython(patterns)).toEqual([])
}

/** Every pattern in a rendered tool, wherever its schemas stand. */
function patternsIn(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(patternsIn)
  if (!isObject(value)) return []
  const own = typeof value.pattern === "string" ? [value.pattern] : []
  const names = isObject(value.patternProperties) ? Object.keys(value.patternProperties) : []
  return [...own, ...names, ...Object.values(value).flatMap(patternsIn)]
}

const rendered = (tools: readonly Tool[]) =>
  toolFormats.flatMap((format) => renderTools(format, tools) as unknown[])

it("Y3, R3: every pattern of every built-in tool is read by JavaScript, Python and RE2", () => {
  const patterns = [...new Set(patternsIn(rendered(builtInTools)))]
  expect(patterns.length).toBeGreaterThan(5)
  requireReadable(patterns)
  // They are shown as they are enforced.
  const enforced = builtInTools.flatMap((tool) => patternsIn(tool.inputSchema))
  expect(enforced.filter((pattern) => !patterns.includes(pattern))).toEqual([])
})

it.each(dialectNames)("Y3, R3: so is every pattern of %s", async (dialect) => {
  await using keep = await openToolkeep({ host: "memory", home: await temporaryHome(), dialect })
  const tools = keep.session().tools({ all: true })
  requireReadable(patternsIn(rendered(tools)))
})

it("Y3: a program's own pattern that some can't read is enforced, and shown in words", () => {
  const tool = defineTool({
    name: "demo.send",
    description: "Sends.",
    input: z.object({
      to: z.email(),
      name: z.string().regex(/^\p{L}+$/u),
      code: z.string().regex(/^[a-z]{2}$/),
    }),
    run: () => null,
  })
  const schemas = rendered([tool])
  requireReadable(patternsIn(schemas))
  const [anthropic] = renderTools("anthropic", [tool])
  expect(anthropic?.input_schema).toMatchObject({
    properties: {
      name: { type: "string", description: String.raw`Also checked: {"pattern":"^\\p{L}+$"}` },
      code: { type: "string", pattern: "^[a-z]{2}$" },
    },
  })
  expect(tool.check({ to: "a@example.com", name: "4", code: "aa" })).toMatchObject({
    ok: false,
    failure: { field: "name" },
  })
})

it("Y3: a schema around such a pattern still takes all that the tool takes", () => {
  const input = {
    type: "object",
    properties: {
      a: { not: { pattern: "^\\p{Lu}" } },
      b: { oneOf: [{ pattern: "\\p{L}" }, { maxLength: 3 }] },
      c: {
        type: "object",
        patternProperties: { "^\\p{L}$": { type: "integer" } },
        additionalProperties: false,
      },
    },
    additionalProperties: false,
  } as const satisfies JsonSchema
  const tool = defineTool({ name: "demo.odd", description: "Odd.", input, run: () => null })
  const [shown] = renderTools("openai", [tool])
  expect(shown?.function.parameters).toEqual({
    type: "object",
    properties: {
      a: { description: String.raw`Also checked: {"not":{"pattern":"^\\p{Lu}"}}` },
      b: {
        anyOf: [{ description: String.raw`Also checked: {"pattern":"\\p{L}"}` }, { maxLength: 3 }],
        description: String.raw`Also checked: {"oneOf":[{"pattern":"\\p{L}"},{"maxLength":3}]}`,
      },
      c: {
        type: "object",
        description: String.raw`Also checked: {"patternProperties":{"^\\p{L}$":{"type":"integer"}},"additionalProperties":false}`,
      },
    },
    additionalProperties: false,
  })
  expect(childSchemas({ schema: tool.inputSchema, pointer: [] })).toHaveLength(3)
})

it("Y3: what is said to be readable is readable", () => {
  const piece = fc.constantFrom(
    ...[
      "a",
      "é",
      "😀",
      ".",
      "^",
      "$",
      "|",
      "*",
      "+",
      "?",
      "(",
      ")",
      "(?:",
      "(?=",
      "(?<n>",
      "[a-z]",
      "[^a]",
      "[",
      "]",
    ],
    ...[
      "\\d",
      "\\s",
      "\\b",
      "\\1",
      "\\p{L}",
      "\\x41",
      "\\u0041",
      "\\.",
      "\\-",
      "\\/",
      "{2}",
      "{2,}",
      "{0,900}",
      "{",
      "}",
      "-",
      "&&",
      "[[:a:]]",
      "[a-]",
      "[-a]",
      "[a\\-b]",
      "[\\d-z]",
      "\\0",
      ":",
      "=",
      "!",
      ",",
    ],
  )
  const readable: string[] = []
  const pattern = fc.array(piece, { maxLength: 6 }).map((parts) => parts.join(""))
  for (const one of fc.sample(pattern, { numRuns: 20_000, seed: 7 })) {
    if (isPortablePattern(one)) readable.push(one)
  }
  expect(readable.length).toBeGreaterThan(1_000)
  requireReadable([...new Set(readable)])
})
