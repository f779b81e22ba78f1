import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest"
import { localBench, type ToolBench } from "../../../test/support/tools/tool-bench.ts"

let bench: ToolBench
beforeAll(async () => {
  bench = await localBench.open()
})
afterAll(() => bench[Symbol.asyncDispose]())

async function prepare(command: string): Promise<void> {
  const { exitCode, stderr } = await bench.workspace.exec(command)
  if (exitCode !== 0) throw new Error(stderr)
}

/** The most memory that a process of its own has when it reads this line of the file. */
async function memoryFor(line: number): Promise<number> {
  const script = `
    import { localBench } from ${JSON.stringify(new URL("../../../test/support/tools/tool-bench.ts", import.meta.url).href)}
    const bench = await localBench.open({ directory: ${JSON.stringify(bench.workspace.cwd)} })
    const answer = await bench.call("file.read", { path: "huge", start_line: ${line}, line_count: 1 })
    if (!answer.ok) throw new Error(answer.message)
    await bench[Symbol.asyncDispose]()
    console.log(process.resourceUsage().maxRSS * 1024)`
  const run = promisify(execFile)
  const { stdout } = await run(process.execPath, ["--input-type=module", "--eval", script])
  return Number(stdout)
}

it("F3, O5: lines in the middle of a huge file are read with little memory", async () => {
  await prepare("echo first > huge; truncate -s 128M huge; printf '\\nthe middle\\nmore' >> huge")
  await prepare("truncate -s 1G huge")
  const start = 128 * 2 ** 20 + 1
  expect(await bench.call("file.read", { path: "huge", start_line: 3, line_count: 1 })).toEqual({
    ok: true,
    tool: "file.read",
    result: {
      kind: "file",
      path: "huge",
      encoding: "utf8",
      text: "the middle\n",
      size: 2 ** 30,
      offset: start,
      bytes: 11,
      start_line: 3,
      end_line: 3,
      truncated: false,
      next_offset: start + 11,
      next_start_line: 4,
    },
  })
  expect((await memoryFor(3)) - (await memoryFor(1))).toBeLessThan(30 * 2 ** 20)
})

it("F3: a file that grows while it is read has the end it had at first", async () => {
  const grow = new AbortController()
  const growing = bench.workspace
    .exec("while :; do echo line; done > grow", { signal: grow.signal })
    .catch(() => {})
  onTestFinished(async () => {
    grow.abort()
    await growing
  })
  await expect.poll(() => bench.workspace.exists("grow")).toBe(true)
  const answer = await bench.call("file.read", { path: "grow", start_line: 1_000_000_000 })
  expect(answer).toMatchObject({ ok: true, result: { text: "", bytes: 0, truncated: false } })
})

it("F3, F4, F5, F6: what is no regular file is refused at once, and nothing waits for it", async () => {
  await prepare("mkfifo pipe")
  const edits = [{ search: "a", replace: "b" }]
  for (const [tool, input] of [
    ["file.read", { path: "pipe" }],
    ["file.write", { path: "pipe", content: "x" }],
    ["file.write", { path: "pipe", content: "x", append: true }],
    ["file.edit", { path: "pipe", edits }],
    ["file.grep", { path: "pipe", pattern: "x" }],
  ] as const) {
    expect(await bench.call(tool, input)).toMatchObject({
      ok: false,
      kind: "invalid_args",
      message: expect.stringContaining('pipe" is not a regular file'),
    })
  }
  expect(await bench.call("file.grep", { pattern: "x" })).toMatchObject({ ok: true })
})

it("O13: a link that leads outside opens no tool's way out", async () => {
  await prepare("ln -s /etc out; ln -s /etc/passwd secret")
  const edits = [{ search: "root", replace: "b" }]
  for (const [tool, input] of [
    ["file.read", { path: "out" }],
    ["file.read", { path: "secret" }],
    ["file.read", { path: "out/passwd" }],
    ["file.list", { path: "out" }],
    ["file.glob", { path: "out", pattern: "*" }],
    ["file.grep", { path: "out", pattern: "root" }],
    ["file.grep", { path: "secret", pattern: "root" }],
    ["file.write", { path: "secret", content: "x" }],
    ["file.write", { path: "out/new", content: "x" }],
    ["file.edit", { path: "secret", edits }],
    ["shell.exec", { command: "pwd", cwd: "out" }],
  ] as const) {
    expect(await bench.call(tool, input)).toMatchObject({
      ok: false,
      kind: "invalid_args",
      message: expect.stringContaining("leads outside the workspace"),
    })
  }
  expect(await bench.call("file.grep", { pattern: "root" })).toMatchObject({
    result: { match_count: 0 },
  })
})

it("O4, F6: a directory of very many files is listed and searched within its limits", async () => {
  await prepare("mkdir many && cd many && seq -f 'f%.0f' 1 5000 | xargs touch")
  expect(await bench.call("file.list", { path: "many" })).toMatchObject({
    result: { entry_count: 500, truncated: true },
  })
  expect(await bench.call("file.glob", { pattern: "many/f*", limit: 2_000 })).toMatchObject({
    result: { count: 2_000, truncated: true },
  })
  expect(await bench.call("file.grep", { pattern: "x", glob: "many/*" })).toMatchObject({
    result: { match_count: 0, truncated: false },
  })
})
