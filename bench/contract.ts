import { execFile } from "node:child_process"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { Ajv2020 } from "ajv/dist/2020.js"
import { defineTool } from "../src/contract/index.ts"
import { ToolRegistry } from "../src/runtime/index.ts"
import { attackChecks, type Findings } from "../test/fuzz/attack-checks.ts"
import { builtInTools } from "../test/fuzz/fuzz-tools.ts"
import type { BenchRow } from "./harness/bench-row.ts"
import { measureTimeRatio } from "./harness/measure.ts"

const run = promisify(execFile)

export async function suite(): Promise<readonly BenchRow[]> {
  return [
    await checkRate(),
    ...(await registryGrowth()),
    ...attackRows(attackChecks(builtInTools, 1_000_000, 1)),
    await coldCall(),
  ]
}

async function checkRate(): Promise<BenchRow> {
  const validate = new Ajv2020().compile(structuredClone(editSchema))
  const tool = defineTool({
    name: "bench.check",
    description: "Checks.",
    input: editSchema,
    run() {},
  })
  return {
    id: "check-rate",
    what: "rate of checking a valid nested input of 8 properties, against bare Ajv",
    value: await measureTimeRatio(
      () => repeat(() => validate(editInput)),
      () => repeat(() => tool.check(editInput)),
    ),
    bar: 0.5,
    aim: 0.9,
    better: "higher",
  }
}

/** Often enough that one run of it can be timed, also when the first of them compiles. */
function repeat(work: () => unknown): void {
  for (let count = 0; count < 20_000; count += 1) work()
}

const editSchema = {
  type: "object",
  properties: {
    path: { type: "string", minLength: 1 },
    mode: { enum: ["replace", "append"] },
    limit: { type: "integer", minimum: 1, maximum: 1000, default: 100 },
    recursive: { type: "boolean", default: false },
    note: { type: "string" },
    tags: { type: "array", items: { type: "string" } },
    env: { type: "object", additionalProperties: { type: "string" } },
    edits: {
      type: "array",
      items: {
        type: "object",
        properties: {
          search: { type: "string", minLength: 1 },
          replace: { type: "string" },
          all: { type: "boolean", default: false },
        },
        required: ["search", "replace"],
        additionalProperties: false,
      },
    },
  },
  required: ["path", "mode"],
  additionalProperties: false,
} as const

const editInput = {
  path: "src/main.ts",
  mode: "replace",
  limit: 50,
  recursive: true,
  note: "renames the port",
  tags: ["a", "b", "c"],
  env: { HOME: "/home/agent", LANG: "C" },
  edits: [
    { search: "port = 80", replace: "port = 8080", all: true },
    { search: "host", replace: "address", all: false },
  ],
}

async function registryGrowth(): Promise<BenchRow[]> {
  const few = registryOf(10)
  const many = registryOf(10_000)
  const find = (registry: ToolRegistry) => {
    const names = registry.list().map((tool) => tool.name)
    // As many look-ups for both, spread over all names.
    const wanted = Array.from(
      { length: 1_000 },
      (_, index) => names[(index * 7) % names.length] ?? "",
    )
    return () => wanted.every((name) => registry.get(name) !== undefined)
  }
  const listFew = () => {
    for (let count = 0; count < 1_000; count += 1) few.list()
  }
  return [
    {
      id: "registry-find",
      what: "time to find a tool among 10,000, against among 10",
      value: await measureTimeRatio(find(many), find(few)),
      bar: 2,
      aim: 1.5,
      better: "lower",
    },
    {
      id: "registry-list",
      what: "time per tool to list 10,000 tools, against 10",
      value: await measureTimeRatio(() => many.list(), listFew),
      bar: 2,
      aim: 1.5,
      better: "lower",
    },
  ]
}

function registryOf(size: number): ToolRegistry {
  const registry = new ToolRegistry()
  const inputSchema = { type: "object", properties: {}, additionalProperties: false } as const
  for (let number = 0; number < size; number += 1) {
    const name = `family${number % 97}.tool${number}`
    registry.register(
      defineTool({ name, description: "One of many.", input: inputSchema, run() {} }),
    )
  }
  return registry
}

function attackRows(report: ReturnType<typeof attackChecks>): BenchRow[] {
  const count = (id: string, what: string, findings: Findings): BenchRow => {
    for (const sample of findings.samples) console.error(`${what}: ${sample}`)
    return { id, what, value: findings.count, bar: 0, aim: 0, better: "lower" }
  }
  const inputs = report.inputs.toLocaleString("en")
  for (const sample of report.slow.samples) console.error(`over 5 ms: ${sample}`)
  return [
    count(
      "fuzz-thrown",
      `of ${inputs} generated inputs, those that made the check throw`,
      report.thrown,
    ),
    count("fuzz-malformed", "answers that are neither a value nor a failure", report.malformed),
    count("fuzz-invalid", "accepted, but invalid by an independent validator", report.invalid),
    count("fuzz-unstable", "accepted, but changed when checked again", report.unstable),
    count("fuzz-mutated", "the caller's object changed (one in 50 compared)", report.mutated),
    {
      id: "fuzz-slowest",
      what: "the slowest check of them, in ms",
      value: report.slowestMs,
      bar: 5,
      aim: 3,
      better: "lower",
    },
  ]
}

async function coldCall(): Promise<BenchRow> {
  const root = join(import.meta.dirname, "..")
  const main = join(root, "dist", "cli", "main.js")
  await run("npm", ["run", "-s", "build"], { cwd: root })
  if (!existsSync(main)) throw new Error("The build made no dist/cli/main.js.")
  const call = () => run(process.execPath, [main, "call", "system.info", "{}"], { cwd: root })
  const { stdout } = await call()
  if (!stdout.includes('"ok":true')) throw new Error(`system.info did not answer: ${stdout}`)
  return {
    id: "cold-call",
    what: "time of `toolkeep call system.info '{}'` of the built package, against `node -e 0`",
    value: await measureTimeRatio(call, () => run(process.execPath, ["-e", "0"], { cwd: root })),
    bar: 2.6,
    aim: 2,
    better: "lower",
  }
}
