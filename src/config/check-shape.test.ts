import { Ajv2020 } from "ajv/dist/2020.js"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { checkShape } from "./check-shape.ts"
import { configRoot } from "./config-path.ts"
import { type PolicyConfig, policySchema } from "./config-schema.ts"
import { checkConfig } from "./parse-config.ts"

const validate = new Ajv2020({ strict: true }).compile(policySchema)

function accepts(value: unknown): boolean {
  try {
    checkShape(value, policySchema, configRoot())
    return true
  } catch {
    return false
  }
}

const leaf = fc.constantFrom<unknown>("", "coding", "standard", "file.*", null, 7, true, [], {})
const names = fc.oneof(
  {
    weight: 9,
    arbitrary: fc.array(fc.oneof({ weight: 9, arbitrary: fc.constant("file.*") }, leaf)),
  },
  leaf,
)
/** A mapping of which each key may be there, be wrong, or be one too many. */
const mapping = (parts: Record<string, fc.Arbitrary<unknown>>) =>
  fc.oneof(
    { weight: 12, arbitrary: fc.record(parts, { requiredKeys: [] }) },
    { weight: 1, arbitrary: fc.record({ ...parts, alow: leaf }, { requiredKeys: [] }) },
    { weight: 1, arbitrary: leaf },
  )
const lists = { allow: names, deny: names }
const word = fc.oneof({ weight: 9, arbitrary: fc.constant("coding") }, leaf)
const level = fc.oneof({ weight: 9, arbitrary: fc.constant("autonomous") }, leaf)
const count = fc.oneof(
  { weight: 9, arbitrary: fc.constantFrom(2_048, 8_000_000_000) },
  { weight: 1, arbitrary: fc.constantFrom<unknown>(0, -1, 2_048.5, Number.NaN, "2048") },
  leaf,
)
const key = fc.constantFrom<unknown>("BRAVE_API_KEY", "BSAx1y2", "sk-12", "", 7)
const mostly = (good: unknown, other: fc.Arbitrary<unknown>) =>
  fc.oneof({ weight: 9, arbitrary: fc.constant(good) }, { weight: 1, arbitrary: other })
const endpoint = mostly(
  { url: "https://example.com/v1", model: "m", key_from: "MODEL_KEY" },
  mapping({ url: word, model: word, key_from: key }),
)
const provider = mostly(
  { provider: "brave", key_from: "BRAVE_API_KEY" },
  mapping({ provider: fc.constantFrom("brave", "bing"), url: word, key_from: key }),
)
const files = mapping({
  tools: mapping({
    policy: word,
    profiles: mapping({ x: mapping(lists), y: mapping(lists) }),
    groups: mapping({ g: names }),
    rules: fc.oneof(
      fc.array(
        mapping({ deny: word, ask: word, allow: word, when: mapping({ f: word }), because: word }),
        { maxLength: 2 },
      ),
      leaf,
    ),
    hooks: mapping({ confirm: names, log: names, silent: names }),
    autonomy: level,
  }),
  agents: mapping({ a: mapping({ toolPolicy: word, autonomy: level, ...lists }) }),
  providers: mapping({ p: mapping(lists) }),
})
const settings = mapping({
  search: fc.array(provider, { maxLength: 2 }),
  models: mapping({ vision: endpoint, embeddings: endpoint }),
  memory: mapping({ shared: fc.oneof(fc.boolean(), leaf) }),
  browser: mapping({ executable: word, memory_mb: count }),
  disk: mapping({ session_bytes: count, total_bytes: count }),
})

describe("checkShape", () => {
  it.each([
    ["a policy", files],
    ["settings", settings],
  ])("Y9: accepts exactly what Ajv accepts by the policy's schema: %s", (_, arbitrary) => {
    const seen = { accepted: 0, refused: 0 }
    fc.assert(
      fc.property(arbitrary, (file) => {
        const accepted = accepts(file)
        seen[accepted ? "accepted" : "refused"] += 1
        expect(accepted).toBe(validate(file))
      }),
      { numRuns: 5_000 },
    )
    expect(Math.min(seen.accepted, seen.refused)).toBeGreaterThan(200)
  })

  it("Y9: each setting of the schema can be set: a value of its type, with its keywords, is checked", () => {
    const types = new Set<unknown>()
    const keywords = new Set<string>()
    const walk = (schema: object): void => {
      const { properties, ...rest } = schema as Record<string, unknown>
      types.add(rest.type)
      for (const keyword of Object.keys(schema)) keywords.add(keyword)
      const { additionalProperties, items } = rest
      for (const part of [...Object.values(Object(properties)), additionalProperties, items]) {
        if (typeof part === "object" && part !== null) walk(part)
      }
    }
    walk(policySchema)
    expect([...types].sort()).toEqual(["array", "boolean", "integer", "number", "object", "string"])
    const checked = ["additionalProperties", "allOf", "enum", "items", "minLength", "minProperties"]
    const more = ["maximum", "minimum", "pattern", "properties", "required", "type"]
    const told = ["$id", "$schema", "description", "examples", "title"]
    expect([...keywords].filter((one) => ![...checked, ...more, ...told].includes(one))).toEqual([])
    const numbers = { disk: { session_bytes: 2 ** 26, total_bytes: 2 ** 27 } }
    expect(() => checkConfig({ ...numbers, browser: { memory_mb: 512 } })).not.toThrow()
    expect(() => checkConfig({ disk: { session_bytes: 5 } })).toThrow(
      "disk.session_bytes must be at least 1048576.",
    )
    const priced = (input: number) => checkConfig({ agent: { prices: { input, output: 15 } } })
    expect(() => priced(0.25)).not.toThrow()
    expect(() => priced(Number.NaN)).toThrow("agent.prices.input must be a number.")
    expect(() => checkConfig({ limits: { output_bytes: 2 ** 30 } })).toThrow(
      "limits.output_bytes must be at most 1000000.",
    )
  })

  it("Y9: the schema is closed, and every key says what it is with an example", () => {
    const open: string[] = []
    const walk = (schema: object, path: string): void => {
      const { properties, additionalProperties, items } = schema as Record<string, unknown>
      const inner = Object.entries(properties ?? {}) as [string, object][]
      if (inner.length > 0 && additionalProperties !== false) open.push(path)
      for (const [key, part] of inner) {
        if (!("description" in part)) open.push(`${path}.${key}`)
        walk(part, `${path}.${key}`)
      }
      for (const part of [additionalProperties, items]) {
        if (typeof part === "object" && part !== null) walk(part, `${path}.*`)
      }
    }
    walk(policySchema, "policy")
    expect(open).toEqual([])
  })

  it("Y9: a policy written in code is checked as a file is", () => {
    const make = (config: object) => () => checkConfig(config as PolicyConfig)
    // Iterated as it is, this text would deny the tools named s, h, e, l, "." and *.
    expect(make({ providers: { p: { deny: "shell.*" } } })).toThrow(
      "providers.p.deny must be a list.",
    )
    expect(make({ agents: new Map([["a", { deny: ["*"] }]]) })).toThrow("agents must be a mapping.")
    expect(make({ tools: { hook: { confirm: ["*"] } } })).toThrow(
      'tools.hook is not known here; did you mean "hooks"?',
    )
    expect(make({ profile: "full" })).toThrow(
      "profile is not known here; what may stand here: tools, agents, providers, images, dialects, network, search, models, memory, browser, sandboxes, store, disk, limits, mcpServers, agent.",
    )
    expect(make([])).toThrow("the policy must be a mapping.")
    expect(make({ agents: { "__proto__ x": { deni: [] } } })).toThrow(
      'agents."__proto__ x".deni is not known here; did you mean "deny"?',
    )
    // Found defect: no whole number was accepted at all.
    expect(make({ disk: { session_bytes: 8_000_000_000 } })).not.toThrow()
    expect(make({ disk: { session_bytes: 7 } })).toThrow(
      "disk.session_bytes must be at least 1048576.",
    )
    expect(() => checkConfig({ limits: { output_bytes: 2 ** 30 } })).toThrow(
      "limits.output_bytes must be at most 1000000.",
    )
    expect(make({ browser: { memory_mb: 512.5 } })).toThrow(
      "browser.memory_mb must be a whole number.",
    )
    expect(make({ tools: undefined, agents: { a: { deny: undefined } } })).not.toThrow()
  })
})
