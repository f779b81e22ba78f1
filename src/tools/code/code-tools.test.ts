import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { benches, resultOf, type ToolBench } from "../../../test/support/tools/tool-bench.ts"
import type { CodeLanguage } from "../../contract/index.ts"
import { limits } from "../../contract/index.ts"
import { catalogue } from "../catalogue.ts"
import { commandLimits } from "../limits.ts"

/** For each language: prints a line of its input and one to stderr; then a program that fails. */
const programs: Readonly<Record<CodeLanguage, { good: string; bad: string; error: RegExp }>> = {
  bash: {
    good: 'read -r line; echo "got $line"; echo err >&2',
    bad: "echo before; ls /nowhere/at/all",
    error: /nowhere/,
  },
  python: {
    good: 'import sys\nprint("got " + sys.stdin.readline().strip())\nprint("err", file=sys.stderr)',
    bad: 'print("before")\nraise ValueError("no good")',
    error: /^ValueError: no good$/,
  },
  javascript: {
    good: 'process.stdin.once("data", (line) => { console.log("got " + String(line).trim()); console.error("err") })',
    bad: 'console.log("before"); throw new TypeError("no good")',
    error: /^TypeError: no good$/,
  },
  typescript: {
    good: 'process.stdin.once("data", (line: Buffer): void => { console.log("got " + String(line).trim()); console.error("err") })',
    bad: 'const text: string = "before"; console.log(text); throw new TypeError("no good")',
    error: /^TypeError: no good$/,
  },
}

describe.each(benches)("code.run on the $host host", ({ open }) => {
  let bench: ToolBench
  beforeAll(async () => {
    bench = await open()
    await bench.workspace.writeFile("sub/file", "")
  })
  afterAll(() => bench[Symbol.asyncDispose]())

  const run = (input: object) => bench.call("code.run", input)
  const ok = (result: object) => ({
    ok: true,
    tool: "code.run",
    result: {
      kind: "code",
      text: null,
      error: null,
      stdout: "",
      stderr: "",
      exit_code: 0,
      cwd: bench.workspace.cwd,
      duration_ms: expect.any(Number),
      ...result,
    },
  })

  it("F1: offers exactly the languages that the sandbox has", () => {
    const tool = bench.tools.find((one) => one.name === "code.run")
    expect(tool?.inputSchema.properties?.language?.enum).toEqual(
      Object.keys(bench.workspace.can.languages),
    )
  })

  it("R8, O24: each runs, with input, directory and variables, and a failure says why in one line", async () => {
    const languages = Object.keys(bench.workspace.can.languages) as CodeLanguage[]
    await Promise.all(
      languages.map(async (language) => {
        const { good, bad, error } = programs[language]
        const cwd = `${bench.workspace.cwd}/sub`
        expect(await run({ language, code: good, stdin: "line\n", cwd: "sub" })).toEqual(
          ok({ language, stdout: "got line\n", stderr: "err\n", cwd }),
        )
        const answer = await run({ language, code: bad })
        expect(answer).toMatchObject({
          ok: true,
          result: { stdout: "before\n", error: expect.stringMatching(error) },
        })
        expect(answer).not.toHaveProperty("result.exit_code", 0)
      }),
    )
  })

  it("F9.model, O31.pipefail, O33: a timeout, a pipe and silence are answered as in the shell", async () => {
    expect(await run({ language: "bash", code: "while :; do :; done", timeout_ms: 300 })).toEqual(
      ok({
        language: "bash",
        stderr: expect.stringMatching(/it ran longer than 300 ms, its timeout/),
        exit_code: 124,
        timed_out: true,
        error: "It ran longer than 300 ms, its timeout.",
      }),
    )
    expect(await run({ language: "bash", code: "false | cat; exit $?" })).toEqual(
      ok({
        language: "bash",
        exit_code: 1,
        error: "The program ended with exit code 1.",
      }),
    )
    expect(await run({ language: "bash", code: "true | cat" })).toMatchObject({
      warnings: [expect.stringMatching(/^No output and exit code 0, but the command has a pipe/)],
    })
  })

  it("O8: a megabyte of code, a language that is not there and a directory that is none are refused", async () => {
    const code = "x".repeat(1_000_000)
    expect(await run({ language: "bash", code })).toMatchObject({
      kind: "invalid_args",
      field: "code",
    })
    const wide = "é".repeat(commandLimits.codeCharacters)
    expect(await run({ language: "bash", code: wide })).toMatchObject({
      kind: "invalid_args",
      field: "code",
    })
    const full = `: ${"x".repeat(commandLimits.codeCharacters - 2)}`
    expect(await run({ language: "bash", code: full })).toEqual(ok({ language: "bash" }))
    expect(await run({ language: "cobol", code: "x" })).toMatchObject({ field: "language" })
    expect(await run({ language: "bash", code: "pwd", cwd: "sub/file" })).toMatchObject({
      kind: "invalid_args",
    })
  })

  it("O34: a long output is cut to its head and tail", async () => {
    const answer = await run({ language: "bash", code: "seq 1 40000" })
    const { stdout } = resultOf(answer)
    expect(stdout).toMatch(/^1\n2\n[\s\S]*\[\.\.\. \d+ bytes left out \.\.\.\][\s\S]*\n40000\n$/)
    expect(Buffer.byteLength(stdout)).toBeLessThanOrEqual(limits.textBytes)
  })
})

it("F1: a host without languages has no such tool", async () => {
  const { memoryHost } = await import("../../sandbox/index.ts")
  const tools = catalogue({ can: { ...memoryHost().can, languages: {} } })
  expect(tools.map((tool) => tool.name)).not.toContain("code.run")
})
