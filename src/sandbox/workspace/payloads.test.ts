import { describe, expect, it } from "vitest"
import { inTime } from "../../../test/support/in-time.ts"
import { openPool } from "../../../test/support/sandbox/pool-fixture.ts"
import { createDispatch } from "../../contract/index.ts"
import { memoryHost } from "../hosts/memory/memory-host.ts"
import { createWorkspace } from "./create-workspace.ts"

describe("payloads", () => {
  it("R8: an argument list that names no program is refused, also in the background", async () => {
    await using opened = openPool()
    const workspace = await opened.pool.workspace()
    const dispatch = createDispatch(workspace)
    const empty = {
      kind: "invalid_args",
      message: "The command is empty: its list names no program.",
      field: "command",
    }
    for (const cmd of [[], [""], ["", "argument"]]) {
      await expect(dispatch({ kind: "command.run", cmd })).rejects.toMatchObject(empty)
      await expect(workspace.processes.start(cmd)).rejects.toMatchObject(empty)
    }
    expect(await dispatch({ kind: "command.run", cmd: "" })).toMatchObject({ exit_code: 0 })
  })

  it("R8: a payload of no kind, or without what its kind needs, is refused by its field", async () => {
    await using opened = openPool()
    const dispatch = createDispatch(await opened.pool.workspace())
    const send = (payload: unknown) => dispatch(payload as Parameters<typeof dispatch>[0])
    const refused = (field: string | undefined) => ({ kind: "invalid_args", field })
    for (const kind of ["files.move", "toString", "", undefined]) {
      await expect(send({ kind, path: "a" })).rejects.toMatchObject(refused("kind"))
    }
    await expect(send(null)).rejects.toMatchObject(refused(undefined))
    await expect(send({ kind: "files.write", path: "a" })).rejects.toMatchObject(refused("data"))
    await expect(send({ kind: "command.run" })).rejects.toMatchObject(refused("cmd"))
  })

  it("R8.command, R8.files: have the document's fields, and answer with its fields", async () => {
    await using opened = openPool()
    const dispatch = createDispatch(await opened.pool.workspace())
    const written = {
      kind: "files.write",
      path: "bin/run",
      data: "echo $WHO",
      mode: 0o755,
    } as const
    expect(await dispatch(written)).toEqual({ bytes_written: 9 })
    const command = {
      kind: "command.run",
      cmd: "cat; ./run; pwd; exit 3",
      cwd: "bin",
      stdin: "typed\n",
      env: { WHO: "payload" },
      timeout: 60,
    } as const
    expect(await dispatch(structuredClone(command))).toEqual({
      exit_code: 3,
      stdout: "typed\npayload\n/home/user/bin\n",
      stderr: "",
      elapsed_ms: expect.any(Number),
    })
    expect(await dispatch({ kind: "files.read", path: "bin/run" })).toEqual({
      kind: "file",
      path: "bin/run",
      data: "echo $WHO",
    })
    const encoded = { kind: "files.read", path: "bin/run", encoding: "base64" } as const
    expect(await dispatch(encoded)).toMatchObject({ data: btoa("echo $WHO") })
    expect(await dispatch({ kind: "files.list", path: "bin" })).toEqual({
      kind: "listing",
      path: "bin",
      entries: [{ name: "run", path: "bin/run", type: "file" }],
      entry_count: 1,
      truncated: false,
    })
    expect(await dispatch({ kind: "files.exists", path: "bin/run" })).toBe(true)
    expect(await dispatch({ kind: "files.exists", path: "bin/run/below" })).toBe(false)
  })

  it("R8.command: a timeout is in seconds and ends the command", async () => {
    await using opened = openPool()
    const dispatch = createDispatch(await opened.pool.workspace())
    await inTime(async (ms) => {
      const slow = {
        kind: "command.run",
        cmd: "echo first; sleep 600",
        timeout: ms / 1000,
      } as const
      expect(await dispatch(slow)).toMatchObject({ exit_code: 124, stdout: "first\n" })
    })
  })

  it("R8.code: code runs in the languages that the sandbox has, and others are refused by name", async () => {
    await using opened = openPool()
    const dispatch = createDispatch(await opened.pool.workspace())
    const fine = { kind: "code.run", language: "javascript", code: "console.log(6 * 7)" } as const
    expect(await dispatch(fine)).toEqual({ text: null, stdout: "42\n", stderr: "", error: null })
    const failing = { kind: "code.run", language: "bash", code: "echo no >&2; exit 3" } as const
    expect(await dispatch(failing)).toMatchObject({ stderr: "no\n", error: "no" })
    const python = { kind: "code.run", code: "print(6 * 7)", timeout: 60 } as const
    expect(await dispatch(python)).toMatchObject({ stdout: "42\n" })

    const sandbox = await memoryHost().create({ name: "memory" })
    const memory = createDispatch(createWorkspace(sandbox))
    await expect(memory({ kind: "code.run", code: "1" })).rejects.toMatchObject({
      kind: "invalid_args",
      field: "language",
      message: "This sandbox can't run python.",
      expected: "bash",
    })
    const long = { kind: "code.run", language: "bash", code: `#${"x".repeat(100_000)}` } as const
    await expect(memory(long)).rejects.toMatchObject({ field: "code" })
    await sandbox.destroy()
  })
})

describe("a mistake that would lose everything", () => {
  it("F18: removing or moving a home, or what it is in, is refused before anything is gone", async () => {
    await using opened = openPool()
    const workspace = await opened.pool.workspace()
    await workspace.writeFile("kept.txt", "kept")
    const codes = { "/home/user": "denied", ".": "denied", "/tmp": "denied" }
    for (const [path, code] of Object.entries({ ...codes, "/home": "outside", "/": "outside" })) {
      const removed = workspace.remove(path, { recursive: true })
      await expect(removed).rejects.toMatchObject({ code })
      await expect(workspace.rename(path, "/tmp/elsewhere")).rejects.toMatchObject({ code })
    }
    expect(await workspace.readFile("kept.txt")).toBe("kept")
  })

  it("F18: what is no port is refused as that", async () => {
    await using opened = openPool()
    const workspace = await opened.pool.workspace()
    for (const port of [0, -1, 65_536, 80.5, Number.NaN]) {
      await expect(workspace.connect(port)).rejects.toMatchObject({
        kind: "invalid_args",
        field: "port",
      })
    }
  })
})

describe("processes in the background", () => {
  it("O26.tail: have a number, a directory and a log that can be watched while they run", async () => {
    await using opened = openPool()
    const workspace = await opened.pool.workspace()
    await workspace.mkdir("work")
    const command = "echo one; echo two >&2; until [[ -e go ]]; do sleep 0.01; done; pwd"
    const started = await workspace.processes.start(command, { cwd: "work" })
    expect(started).toMatchObject({
      pid: expect.any(Number),
      command,
      cwd: "/home/user/work",
      logFile: `/home/user/.toolkeep/${started.id}.log`,
      state: { kind: "running" },
    })
    expect((await workspace.exec(`kill -0 ${started.pid}`)).exitCode).toBe(0)
    let seen = await workspace.processes.output(started.id)
    while (seen.text.length < 8) seen = await workspace.processes.output(started.id)
    expect(seen).toMatchObject({ text: "one\ntwo\n", nextOffset: 8, state: { kind: "running" } })

    await workspace.writeFile("work/go", "")
    const over = await workspace.processes.wait(started.id)
    expect(over.state).toEqual({ kind: "exited", exitCode: 0 })
    const rest = await workspace.processes.output(started.id, { offset: seen.nextOffset })
    expect(rest).toMatchObject({ text: "/home/user/work\n", state: { kind: "exited" } })
    expect(await workspace.readFile(started.logFile)).toBe("one\ntwo\n/home/user/work\n")
  })

  it("O27.poll, O27.wait, O27.kill: can be listed, polled, waited for and killed with everything they started", async () => {
    await using opened = openPool()
    const workspace = await opened.pool.workspace()
    const { processes } = workspace
    const stubborn = await processes.start("trap '' TERM; echo up; sleep 4000000 & wait; sleep 9")
    const quick = await processes.start(["sh", "-c", "exit 7"])
    expect(await processes.wait(quick.id)).toMatchObject({ state: { kind: "exited", exitCode: 7 } })
    expect((await processes.list()).map(({ id }) => id)).toEqual([stubborn.id, quick.id])
    const gone = { signal: AbortSignal.abort("not wanted any more") }
    await expect(processes.wait(stubborn.id, gone)).rejects.toBe("not wanted any more")
    const waited = await processes.wait(stubborn.id, { timeoutMs: 50 })
    expect(waited.state).toEqual({ kind: "running" })
    while ((await processes.output(stubborn.id)).text === "") await processes.status(stubborn.id)

    const killed = await processes.kill(stubborn.id, { graceMs: 100 })
    expect(killed.state).toEqual({ kind: "killed", by: "user" })
    const left = () => workspace.exec("ps ax | grep -c '[s]leep 4000000'")
    await expect.poll(async () => (await left()).stdout).toBe("0\n")
    expect(await processes.kill(stubborn.id)).toEqual(killed)
    await expect(processes.status("process_none")).rejects.toMatchObject({
      kind: "not_found",
      expected: `one of ${stubborn.id}, ${quick.id}`,
    })
  })

  it("O27: are refused where there are none, and in a directory that is not there", async () => {
    await using opened = openPool()
    const { processes } = await opened.pool.workspace()
    await expect(processes.start("true", { cwd: "nowhere" })).rejects.toMatchObject({
      code: "not-found",
    })
    const sandbox = await memoryHost().create({ name: "memory" })
    const memory = createWorkspace(sandbox)
    await expect(memory.processes.start("true")).rejects.toMatchObject({
      kind: "unavailable",
    })
    await sandbox.destroy()
  })
})
