import { afterAll, beforeAll, describe, expect, it } from "vitest"
import {
  benches,
  localBench,
  resultOf,
  type ToolBench,
} from "../../../test/support/tools/tool-bench.ts"
import { limits } from "../../contract/index.ts"

const patient = { timeout: 60_000 }
const [memory, ...real] = benches

it("F1: a host without processes offers no background and no tools for it", async () => {
  await using bench = await (memory as (typeof benches)[number]).open()
  const names = bench.tools.map((tool) => tool.name)
  expect(names.filter((name) => name.startsWith("process."))).toEqual([])
  expect(await bench.call("shell.exec", { command: "sleep 60", background: true })).toMatchObject({
    ok: false,
    kind: "invalid_args",
    field: "background",
  })
})

describe.each(real)("background processes on the $host host", ({ open }) => {
  let bench: ToolBench
  beforeAll(async () => {
    bench = await open()
  })
  afterAll(() => bench[Symbol.asyncDispose]())

  async function result<Name extends string>(tool: Name, input: object) {
    return resultOf(await bench.call(tool, input))
  }
  const start = (input: object) => result("process.start", input)

  it("O26: one with an open input is answered while it runs, until its input ends", async () => {
    const command = 'while read -r line; do echo "<$line>"; done; echo end'
    const { pid } = await start({ command, stdin: "first\n", open_stdin: true })
    const shows = (text: string) =>
      expect.poll(() => result("process.output", { pid }), patient).toMatchObject({ text })
    await shows("<first>\n")
    expect(await result("process.write", { pid, text: "secönd\n" })).toMatchObject({
      ...{ kind: "process", pid, state: "running" },
    })
    await shows("<first>\n<secönd>\n")
    await result("process.write", { pid, text: "third\n", end: true })
    expect(await result("process.wait", { pid })).toMatchObject({ state: "exited", exit_code: 0 })
    await shows("<first>\n<secönd>\n<third>\nend\n")
    expect(await bench.call("process.write", { pid, text: "late\n" })).toMatchObject({
      ...{
        ok: false,
        kind: "rejected",
        message: `Process ${pid} can't be written to: it has ended.`,
      },
    })
  })

  it("O26: one without an open input can't be written to, and what nobody reads ends with the call", async () => {
    const closed = await start({ command: "sleep 8320" })
    expect(await bench.call("process.write", { pid: closed.pid, text: "x" })).toMatchObject({
      ...{ ok: false, kind: "rejected" },
      message: `Process ${closed.pid} can't be written to: it was started without an open input.`,
    })
    const deaf = await start({ command: "sleep 8320", open_stdin: true })
    const person = new AbortController()
    const text = "x".repeat(90_000)
    const writes = [1, 2, 3].map(() =>
      bench.call("process.write", { pid: deaf.pid, text }, { terminated: person.signal }),
    )
    expect(await writes[0]).toMatchObject({ ok: true })
    person.abort()
    const ended = await Promise.all(writes)
    expect(ended.map(({ ok }) => ok)).toContain(false)
    for (const { pid } of [closed, deaf]) {
      expect(await result("process.kill", { pid })).toMatchObject({ state: "killed" })
    }
  })

  it("O26.fields, O26.tail: background answers at once with pid, log_file, cwd and background, and its output can be watched", async () => {
    await bench.workspace.writeFile("sub/file", "")
    const command =
      'echo "$NAME"; cat; echo err >&2; while [[ ! -e go ]]; do sleep 0.05; done; echo é'
    const input = {
      command,
      cwd: "sub",
      env: { NAME: "named" },
      stdin: "given\n",
      background: true,
    }
    const started = resultOf(await bench.call("shell.exec", input), "process")
    expect(started).toEqual({
      kind: "process",
      id: expect.any(String),
      pid: expect.any(Number),
      command,
      cwd: `${bench.workspace.cwd}/sub`,
      log_file: expect.stringMatching(/\.log$/),
      started: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      state: "running",
      background: true,
    })
    const { pid } = started
    const first = { kind: "output", pid, offset: 0, truncated: false, state: "running" }
    const text = "named\ngiven\nerr\n"
    await expect
      .poll(() => result("process.output", { pid }), patient)
      .toEqual({ ...first, text, next_offset: text.length })
    await bench.workspace.writeFile("sub/go", "")
    expect(await result("process.wait", { pid })).toMatchObject({ state: "exited", exit_code: 0 })
    expect(await result("process.output", { pid, offset: text.length })).toEqual({
      ...first,
      text: "é\n",
      offset: text.length,
      next_offset: text.length + 3,
      state: "exited",
      exit_code: 0,
    })
    expect(await result("process.output", { pid, offset: text.length, limit: 1 })).toMatchObject({
      text: "é",
      truncated: true,
    })
    expect(await result("process.output", { pid, offset: text.length + 1 })).toMatchObject({
      text: "\n",
      offset: text.length + 2,
    })
    expect(await result("file.read", { path: started.log_file })).toMatchObject({
      text: `${text}é\n`,
    })
  })

  it("O26.end: a command in the background is ended by its pid", async () => {
    const input = { command: "echo up; sleep 300", background: true }
    const { pid } = resultOf(await bench.call("shell.exec", input), "process")
    await expect
      .poll(() => result("process.output", { pid }), patient)
      .toMatchObject({ text: "up\n", state: "running" })
    expect(await result("process.kill", { pid })).toMatchObject({ pid, state: "killed" })
  })

  it("O27.poll, O27.wait, O27.kill, Y14.process: a process is started, looked at, waited for and ended by its pid", async () => {
    const child = `sleep 300 & echo $!; trap "" TERM; wait`
    const { pid, id } = await start({ command: child })
    expect(await result("process.status", { pid })).toMatchObject({ id, pid, state: "running" })
    expect(await result("process.wait", { pid, timeout_ms: 50 })).toMatchObject({
      state: "running",
      timed_out: true,
    })
    await expect
      .poll(() => result("process.output", { pid }), patient)
      .toMatchObject({ next_offset: expect.any(Number), text: expect.stringMatching(/\d/) })
    const { text } = await result("process.output", { pid })
    const killed = await result("process.kill", { pid, signal: "SIGKILL" })
    expect(killed).toMatchObject({ kind: "process", pid, state: "killed" })
    const left = await bench.workspace.exec(`kill -0 ${text.trim()}`)
    expect(left.exitCode).not.toBe(0)
    expect(await bench.call("process.kill", { pid })).toMatchObject({
      ok: true,
      result: { state: "killed" },
      warnings: [`Process ${pid} had already ended; nothing was done.`],
    })
  })

  it("O27: SIGKILL gives no time to end, SIGTERM does", async () => {
    const stubborn = "trap '' TERM; echo ready; while :; do sleep 0.05; done"
    const started = [await start({ command: stubborn }), await start({ command: stubborn })]
    for (const { pid } of started) {
      await expect
        .poll(() => result("process.output", { pid }), patient)
        .toMatchObject({ text: "ready\n" })
    }
    const ended: string[] = []
    const kill = async (signal: string, pid = 0) => {
      expect(await result("process.kill", { pid, signal })).toMatchObject({ state: "killed" })
      ended.push(signal)
    }
    await Promise.all([kill("SIGTERM", started[0]?.pid), kill("SIGKILL", started[1]?.pid)])
    expect(ended).toEqual(["SIGKILL", "SIGTERM"])
  })

  it("O29.term: SIGTERM asks first, so that a process can put its things in order", async () => {
    const { pid } = await start({
      command: "trap 'echo bye; exit 0' TERM; echo ready; while :; do sleep 0.05; done",
    })
    await expect
      .poll(() => result("process.output", { pid }), patient)
      .toMatchObject({ text: "ready\n" })
    expect(await result("process.kill", { pid })).toMatchObject({ state: "killed" })
    expect(await result("process.output", { pid })).toMatchObject({
      text: expect.stringMatching(/^ready\n[\s\S]*bye\n$/),
    })
  })

  it("Y14: with args no shell reads them, and a pipe of a script fails with any part", async () => {
    const args = ["%s|", "$(id)", "a b", "", "'"]
    const { pid } = await start({ command: "printf", args })
    expect(await result("process.wait", { pid })).toMatchObject({
      command: "printf",
      args,
      state: "exited",
      exit_code: 0,
    })
    expect(await result("process.output", { pid })).toMatchObject({ text: "$(id)|a b||'|" })
    const piped = await start({ command: "exit 3 | cat" })
    expect(await result("process.wait", { pid: piped.pid })).toMatchObject({
      command: "exit 3 | cat",
      exit_code: 3,
    })
    const none = await start({ command: "no-such-program", args: [] })
    expect(await result("process.wait", { pid: none.pid })).toMatchObject({ exit_code: 127 })
  })

  it("O27: all are listed, newest first, with commands cut to what tells them apart", async () => {
    const { pid, id } = await start({ command: `: ${"x".repeat(100_000)}\ntrue` })
    await result("process.wait", { pid })
    const list = await result("process.list", {})
    expect(list).toMatchObject({ kind: "processes", running: 0, truncated: false })
    expect(list.processes[0]).toMatchObject({
      id,
      command: expect.stringMatching(/^: x{498} \[\.\.\.\]$/),
    })
    expect(list).toHaveProperty("count", list.processes.length)
  })

  it("O34: a flood of bytes that are no text comes in pieces that fit, and none is lost", async () => {
    const { pid } = await start({
      command: "head -c 120000 /dev/zero | tr '\\0' '\\377'; printf end",
    })
    await result("process.wait", { pid })
    let offset = 0
    let last = { text: "", next_offset: 0, truncated: true }
    while (last.truncated) {
      last = await result("process.output", { pid, offset })
      expect(Buffer.byteLength(last.text)).toBeLessThanOrEqual(limits.textBytes)
      expect(last.next_offset).toBeGreaterThan(offset)
      offset = last.next_offset
    }
    expect(offset).toBe(120_003)
    expect(last.text.endsWith("end")).toBe(true)
  })

  it("O10: a pid that is not ours is not found, whatever is asked of it", async () => {
    const other = await start({ command: "sleep 300", sandbox: "other" })
    for (const pid of [1, 2 ** 31 - 1]) {
      for (const tool of ["status", "output", "wait", "kill"]) {
        const answer = await bench.call(`process.${tool}`, { pid })
        expect(answer).toMatchObject({ ok: false, kind: "not_found", field: "pid" })
      }
    }
    expect(await result("process.status", { pid: other.pid, sandbox: "other" })).toMatchObject({
      id: other.id,
    })
    const here = await bench.call("process.kill", { pid: other.pid })
    // Sandboxes with numbers of their own may have used the same one.
    if (here.ok) expect(here.result).not.toMatchObject({ id: other.id })
    else expect(here).toMatchObject({ kind: "not_found" })
    expect(await result("process.status", { pid: other.pid, sandbox: "other" })).toMatchObject({
      state: "running",
    })
    await result("process.kill", { pid: other.pid, sandbox: "other" })
  })

  it("O8: a timeout of a process in the background, and a directory that is none, are refused", async () => {
    for (const field of ["timeout_ms", "idle_timeout_ms"]) {
      expect(
        await bench.call("shell.exec", { command: "true", background: true, [field]: 1_000 }),
      ).toMatchObject({ kind: "invalid_args", field })
    }
    expect(await bench.call("process.start", { command: "true", cwd: "nowhere" })).toMatchObject({
      kind: "not_found",
    })
    expect(await bench.call("process.start", { command: "true", cwd: "../.." })).toMatchObject({
      kind: "invalid_args",
      field: "cwd",
    })
    expect(await bench.call("process.status", { pid: 0 })).toMatchObject({ field: "pid" })
  })
})

it("O25: a person who ends the wait is told how the process is doing, and does not end it", async () => {
  await using bench = await localBench.open()
  const started = await bench.call("process.start", { command: "sleep 300" })
  const { pid } = resultOf(started)
  const person = new AbortController()
  const wait = bench.call("process.wait", { pid }, { terminated: person.signal })
  setTimeout(() => person.abort(), 50)
  expect(await wait).toMatchObject({ ok: true, result: { pid, state: "running" } })
  await bench.call("process.kill", { pid, signal: "SIGKILL" })
})
