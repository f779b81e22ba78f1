import { describe, expect, it } from "vitest"
import { createDispatch } from "../../contract/index.ts"
import { memoryHost } from "../hosts/memory/memory-host.ts"
import { openPool } from "../pool/pool-fixture.ts"
import { createWorkspace } from "./create-workspace.ts"

const settings = { env: { WHO: "payload" }, stdin: "typed\n", timeoutMs: 10_000 }

const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes)

describe("payloads", () => {
  it("R8: an argument list that names no program is refused, also in the background", async () => {
    await using opened = openPool()
    const dispatch = createDispatch(await opened.pool.workspace())
    for (const command of [[], [""], ["", "argument"]]) {
      for (const kind of ["command.run", "process.start"] as const) {
        await expect(dispatch({ kind, command })).rejects.toMatchObject({
          kind: "invalid_args",
          message: "The command is empty: its list names no program.",
          field: "command",
        })
      }
    }
    const text = { ...settings, kind: "command.run", command: "" } as const
    expect(await dispatch(text)).toMatchObject({ exitCode: 0 })
  })

  it("R8: are plain data that survives being written down, and do the work", async () => {
    await using opened = openPool()
    const dispatch = createDispatch(await opened.pool.workspace())
    const command = { ...settings, kind: "command.run", command: "cat; echo $WHO; pwd" } as const
    const ran = await dispatch(command)
    expect(ran.stdout).toBe("typed\npayload\n/home/user\n")

    const path = "/home/user/file.txt"
    const kept = structuredClone({
      write: { kind: "file.write", path, data: "content" },
      read: { kind: "file.read", path: "file.txt", offset: 3 },
      list: { kind: "file.list", path: "/home/user" },
      exists: { kind: "file.exists", path },
      gone: { kind: "file.exists", path: `${path}/below` },
    } as const)
    await dispatch(kept.write)
    expect(text(await dispatch(kept.read))).toBe("tent")
    expect(await dispatch(kept.list)).toEqual([{ name: "file.txt", type: "file" }])
    expect(await dispatch(kept.exists)).toBe(true)
    expect(await dispatch(kept.gone)).toBe(false)
  })

  it("R8: code runs in the languages that the sandbox has, and others are refused by name", async () => {
    await using opened = openPool()
    const dispatch = createDispatch(await opened.pool.workspace())
    const run = async (language: "bash" | "javascript" | "typescript", code: string) => {
      const payload = { ...settings, kind: "code.run", language, code } as const
      const { exitCode, stdout } = await dispatch(payload)
      return [exitCode, stdout]
    }
    expect(await run("bash", "read line; echo $line $WHO; exit 3")).toEqual([3, "typed payload\n"])
    expect(await run("javascript", "console.log(6 * 7, process.env.WHO)")).toEqual([
      0,
      "42 payload\n",
    ])
    expect(await run("typescript", "const n: number = 6; console.log(n * 7)")).toEqual([0, "42\n"])

    const sandbox = await memoryHost().create({ name: "memory" })
    const memory = createDispatch(createWorkspace(sandbox))
    const unknown = { ...settings, kind: "code.run", language: "python", code: "1" } as const
    await expect(memory(unknown)).rejects.toMatchObject({
      kind: "invalid_args",
      field: "language",
      message: "This sandbox can't run python.",
      expected: "bash",
    })
    const long = { ...unknown, language: "bash", code: `#${"x".repeat(100_000)}` } as const
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
  it("O26: have a number, a directory and a log that can be watched while they run", async () => {
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

  it("O27: can be listed, polled, waited for and killed with everything they started", async () => {
    await using opened = openPool()
    const workspace = await opened.pool.workspace()
    const { processes } = workspace
    const stubborn = await processes.start("trap '' TERM; echo up; sleep 4000000 & wait; sleep 9")
    const quick = await processes.start(["sh", "-c", "exit 7"])
    expect(await processes.wait(quick.id)).toMatchObject({ state: { kind: "exited", exitCode: 7 } })
    expect((await processes.list()).map(({ id }) => id)).toEqual([stubborn.id, quick.id])
    const waited = await processes.wait(stubborn.id, { timeoutMs: 50 })
    expect(waited.state).toEqual({ kind: "running" })
    while ((await processes.output(stubborn.id)).text === "") await processes.status(stubborn.id)

    const killed = await processes.kill(stubborn.id, { graceMs: 100 })
    expect(killed.state).toEqual({ kind: "killed", by: "user" })
    expect((await workspace.exec("ps ax | grep -c '[s]leep 4000000'")).stdout).toBe("0\n")
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
    const memory = createDispatch(createWorkspace(sandbox))
    await expect(memory({ kind: "process.start", command: "true" })).rejects.toMatchObject({
      kind: "unavailable",
    })
    await sandbox.destroy()
  })
})
