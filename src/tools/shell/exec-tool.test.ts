import { spawnSync } from "node:child_process"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { inTime } from "../../../test/support/in-time.ts"
import {
  benches,
  callTool,
  resultOf,
  type ToolBench,
} from "../../../test/support/tools/tool-bench.ts"
import { defaultCallLimits, limits } from "../../contract/index.ts"
import { adaptHost, createPool, memoryHost, type SandboxApiExec } from "../../sandbox/index.ts"
import { execTool } from "./exec-tool.ts"

describe.each(benches)("shell.exec on the $host host", ({ open }) => {
  let bench: ToolBench
  beforeAll(async () => {
    bench = await open()
    await bench.workspace.writeFile("sub/file", "")
  })
  afterAll(() => bench[Symbol.asyncDispose]())

  const exec = (input: unknown) => bench.call("shell.exec", input)
  const ok = (result: object, warnings?: readonly string[]) => ({
    ok: true,
    tool: "shell.exec",
    result: {
      kind: "command",
      stdout: "",
      stderr: "",
      exit_code: 0,
      cwd: bench.workspace.cwd,
      duration_ms: expect.any(Number),
      ...result,
    },
    ...(warnings && { warnings }),
  })

  it("O24.fields, Y14.shell: answers with stdout, stderr, exit code and cwd; a non-zero exit is a result", async () => {
    const command = "echo out; echo err >&2; exit 3"
    expect(await exec({ command })).toEqual(ok({ stdout: "out\n", stderr: "err\n", exit_code: 3 }))
  })

  it("O24: runs where, with what variables and with what input it is told", async () => {
    const cwd = `${bench.workspace.cwd}/sub`
    const command = 'pwd; echo "$NAME"; cat'
    const input = { command, cwd: "sub", env: { NAME: "é $(id)\n", EMPTY: "" }, stdin: "  \n" }
    expect(await exec(input)).toEqual(ok({ stdout: `${cwd}\né $(id)\n\n  \n`, cwd }))
  })

  it("O8: a directory that is none, is missing or lies outside is refused", async () => {
    expect(await exec({ command: "pwd", cwd: "nowhere" })).toMatchObject({ kind: "not_found" })
    expect(await exec({ command: "pwd", cwd: "sub/file" })).toMatchObject({ kind: "invalid_args" })
    expect(await exec({ command: "pwd", cwd: "/" })).toMatchObject({ field: "cwd" })
    expect(await exec({ command: "pwd", env: { "A B": "x" } })).toMatchObject({
      kind: "invalid_args",
    })
  })

  it("O31.pipefail: a pipe fails when any part of it fails", async () => {
    expect(await exec({ command: "false | cat; echo $?" })).toEqual(ok({ stdout: "1\n" }))
    expect(await exec({ command: "set +o pipefail; false | cat; echo $?" })).toEqual(
      ok({ stdout: "0\n" }),
    )
  })

  it.each([
    ["# a comment\necho ok"],
    ["\n\necho ok"],
    ["#!/bin/bash\necho ok"],
    ["{ echo ok; }"],
    ["(echo ok)"],
    ["cat <<'END'\nok\nEND"],
    ["if true\nthen echo ok\nfi"],
    ["echo \\\nok"],
  ])("O31: a script that starts like %j runs as it is", async (command) => {
    expect(await exec({ command })).toEqual(ok({ stdout: "ok\n" }))
  })

  it("O31.sigpipe, O33: exit code 141 comes with the words for it", async () => {
    const answer = await exec({ command: "echo some; exit 141" })
    expect(answer).toEqual(
      ok({ stdout: "some\n", exit_code: 141 }, [expect.stringMatching(/^Exit code 141: /)]),
    )
  })

  it("O32.pipe, O32.stderr, O33: silence after a pipe or without error messages is pointed out", async () => {
    for (const command of ["true | cat", "true 2>/dev/null"]) {
      expect(await exec({ command })).toEqual(
        ok({}, [expect.stringMatching(/^No output and exit code 0, but the command /)]),
      )
    }
    expect(await exec({ command: "true" })).toEqual(ok({}))
  })

  it("F9.model: a timeout gives exit code 124, says so, and is no failure", async () => {
    const answer = await exec({ command: "while true; do :; done", timeout_ms: 300 })
    expect(answer).toEqual(
      ok({
        stderr: expect.stringMatching(
          /\[The command was ended: it ran longer than 300 ms, its timeout\.\]\n$/,
        ),
        exit_code: 124,
        timed_out: true,
      }),
    )
  })

  it("O34.cut, O34.named: each stream is cut to its head and tail, with what was left out named", async () => {
    const command = "echo first; seq 1 40000; echo last; seq 1 40000 >&2"
    const answer = await exec({ command })
    const { stdout, stderr } = resultOf(answer, "command")
    expect(stdout).toMatch(
      /^first\n1\n[\s\S]*\n\[\.\.\. \d+ bytes left out \.\.\.\]\n[\s\S]*40000\nlast\n$/,
    )
    expect(stderr).toMatch(
      /^1\n2\n[\s\S]*\n\[\.\.\. \d+ bytes left out \.\.\.\]\n[\s\S]*\n40000\n$/,
    )
    for (const text of [stdout, stderr]) {
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(limits.textBytes)
    }
    expect(answer).not.toHaveProperty("warnings")
  })

  it("O34: bytes that are no text still fit", async () => {
    const answer = await exec({ command: "head -c 60000 /dev/zero | tr '\\0' '\\377'" })
    const { stdout } = resultOf(answer, "command")
    expect(Buffer.byteLength(stdout)).toBeLessThanOrEqual(limits.textBytes)
  })

  it("O25: ended by a person, it answers with what it has and who ended it", async () => {
    const person = new AbortController()
    const command = "echo started; while true; do :; done"
    const { liveOutput } = bench.workspace.can
    const impatient = setTimeout(() => person.abort(), liveOutput ? 10_000 : 300)
    const answer = await bench.call(
      "shell.exec",
      { command },
      { terminated: person.signal, onOutput: () => person.abort() },
    )
    clearTimeout(impatient)
    expect(answer).toEqual(
      ok({
        stdout: liveOutput ? "started\n" : expect.any(String),
        exit_code: 143,
        killed_by: "user",
      }),
    )
  })

  it("F9.program: the caller's own signal ends it as an ordinary cancellation", async () => {
    const caller = new AbortController()
    const call = bench.call(
      "shell.exec",
      { command: "while true; do :; done" },
      { signal: caller.signal },
    )
    setTimeout(() => caller.abort(new Error("not wanted any more")), 200)
    await expect(call).rejects.toThrow("not wanted any more")
  })

  it("F1, O24: an idle timeout is offered only where output is seen as it comes", async () => {
    const { liveOutput } = bench.workspace.can
    const schema = bench.tools.find((tool) => tool.name === "shell.exec")?.inputSchema
    expect(Object.hasOwn(schema?.properties ?? {}, "idle_timeout_ms")).toBe(liveOutput)
    const command = "echo a; sleep 0.2; echo b; sleep 600"
    if (!liveOutput) {
      expect(await exec({ command, idle_timeout_ms: 1_000 })).toMatchObject({
        kind: "invalid_args",
        field: "idle_timeout_ms",
      })
      return
    }
    await inTime(async (idle_timeout_ms) => {
      expect(await exec({ command, idle_timeout_ms })).toEqual(
        ok({
          stdout: "a\nb\n",
          stderr: `[The command was ended: it wrote nothing for ${idle_timeout_ms} ms, its idle timeout.]\n`,
          exit_code: 124,
          timed_out: true,
        }),
      )
    }, 1_000)
  })

  it("O24, F20: output is passed on as it comes", async () => {
    const seen: string[] = []
    await bench.call(
      "shell.exec",
      { command: "echo out; echo err >&2" },
      { onOutput: ({ stream, bytes }) => seen.push(`${stream}: ${Buffer.from(bytes)}`) },
    )
    expect(seen.sort()).toEqual(["stderr: err\n", "stdout: out\n"])
  })

  it("O24.clock, O28.shell: it has no wall clock of its own", () => {
    const tool = bench.tools.find((one) => one.name === "shell.exec")
    expect(tool?.timeoutMs).toBe(null)
    expect(tool?.inputSchema.properties?.timeout_ms).not.toHaveProperty("default")
  })
})

it("F12.wrap, O31.pipefail: a host whose shell has no pipefail runs commands without it", async () => {
  const { can } = memoryHost()
  const plain = adaptHost({
    ...{ name: "plain", summary: "A POSIX shell that ends at an option it does not know.", can },
    home: "/",
    create: async () => ({
      exec: async (command, { cwd, env }) => {
        const options = { cwd, env: { ...process.env, ...env }, encoding: "utf8" } as const
        const { stdout, stderr, status } = spawnSync("dash", ["-c", command], options)
        return { stdout, stderr, exitCode: status ?? 1 }
      },
    }),
  })
  await using pool = createPool(plain)
  const tools = [execTool({ can, limits: defaultCallLimits, network: pool.network })]
  const deps = { tools, workspace: pool.workspace }
  const answer = await callTool(deps, "shell.exec", { command: "echo one | cat; exit 3" })
  expect(answer).toMatchObject({ result: { stdout: "one\n", stderr: "", exit_code: 3 } })
})

it("F8.host, F8.signal: a timeout reaches the host; one that misses it does not hold the call", async () => {
  const { can } = memoryHost()
  const asked: SandboxApiExec[] = []
  const deaf = adaptHost({
    name: "deaf",
    summary: "Never ends a command.",
    can,
    home: "/work",
    create: async () => ({
      exec: (_command, options) => {
        asked.push(options)
        options.onOutput({ stream: "stdout", bytes: Buffer.from("so far") })
        return new Promise(() => {})
      },
      readFile: async () => "",
      writeFile: async () => {},
      stat: async () => null,
      readdir: async () => [],
    }),
  })
  await using pool = createPool(deaf)
  const tools = [execTool({ can, limits: defaultCallLimits, network: pool.network })]
  const call = (timeout_ms: number, signal?: AbortSignal) =>
    callTool({ tools, workspace: pool.workspace, ...(signal && { signal }) }, "shell.exec", {
      command: "sleep 60",
      timeout_ms,
    })
  expect(await call(200)).toEqual({
    ok: true,
    tool: "shell.exec",
    result: {
      kind: "command",
      stdout: "so far",
      stderr: "[The command was ended: it ran longer than 200 ms, its timeout.]\n",
      exit_code: 124,
      cwd: "/work",
      duration_ms: expect.any(Number),
      timed_out: true,
    },
  })
  // The caller's own signal ends the same command, and is seen by the host as the timeout is.
  await expect(call(60_000, AbortSignal.timeout(50))).rejects.toMatchObject({
    name: "TimeoutError",
  })
  expect(asked).toMatchObject([
    { timeoutMs: 200, signal: { aborted: true } },
    { timeoutMs: 60_000, signal: { aborted: true } },
  ])
})
