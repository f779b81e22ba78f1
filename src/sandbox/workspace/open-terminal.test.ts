import { symlinkSync } from "node:fs"
import { mkdir, readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import {
  markOf,
  openLocal,
  processesWith,
  until,
} from "../../../test/support/sandbox/local-fixture.ts"
import { limits, type Terminal } from "../../contract/index.ts"
import { findProgram } from "../../node/index.ts"
import { memoryHost } from "../hosts/memory/memory-host.ts"
import { createWorkspace } from "./create-workspace.ts"

const size = { columns: 80, rows: 24 }

async function shown({ output }: Pick<Terminal, "output">): Promise<string> {
  return Buffer.concat(await Array.fromAsync(output)).toString()
}

/** A search path with these programs alone. */
async function pathOf(directory: string, names: readonly string[]): Promise<string> {
  await mkdir(directory)
  for (const name of names) {
    const program = findProgram(name, "/usr/bin:/bin")
    if (program === null) throw new Error(`${name} is needed`)
    symlinkSync(program, join(directory, name))
  }
  return directory
}

/** The same with an stty that runs a line of its own before the real one. */
async function pathWithStty(directory: string, line: string): Promise<string> {
  await pathOf(directory, ["bash", "tty", "script", "perl", "sleep"])
  const program = `#!/bin/sh\n${line}\nPATH=/usr/bin:/bin exec stty "$@"\n`
  await writeFile(join(directory, "stty"), program, { mode: 0o755 })
  return directory
}

describe("a terminal", () => {
  it("F21: runs a list as it is, with its own variables, in its own directory", async () => {
    await using local = await openLocal()
    const { workspace } = local
    await workspace.mkdir("below")
    const command = ["bash", "-c", 'echo "$1"; echo $TERM $WORD; pwd', "bash", "a  'b'"]
    const terminal = await workspace.openTerminal({
      ...{ ...size, command, cwd: "below", env: { WORD: "word", TERM: "vt100" } },
    })
    expect(await shown(terminal)).toBe(`a  'b'\r\nvt100 word\r\n${workspace.cwd}/below\r\n`)
    expect(await terminal.ended).toEqual({ kind: "exited", exitCode: 0 })
    await terminal.write("nobody reads this")
    await terminal.resize(10, 10)
    await terminal.close()
  })

  it("F21: opens with python3 where there is no script, and is not promised where there is neither", async () => {
    await using local = await openLocal()
    const programs = ["bash", "tty", "stty", "python3", "sleep"]
    const PATH = await pathOf(join(local.outside, "bin"), programs)
    await using withPython = await openLocal({ environment: { ...process.env, PATH } })
    const command = "stty size; read -r line; stty size; exit 3"
    const terminal = await withPython.workspace.openTerminal({ ...size, command })
    await terminal.resize(100, 30)
    await terminal.write("go\n")
    expect(await shown(terminal)).toMatch(/^(go\r\n)?(24 80|30 100)\r\n(go\r\n)?30 100\r\n$/)
    expect(await terminal.ended).toEqual({ kind: "exited", exitCode: 3 })

    const bare = await pathOf(join(local.outside, "bare"), ["bash", "stty"])
    await using without = await openLocal({ environment: { ...process.env, PATH: bare } })
    expect(without.workspace.can.terminal).toBe(false)
    await expect(without.workspace.openTerminal(size)).rejects.toMatchObject({
      kind: "unavailable",
      retryable: false,
      message: expect.stringContaining("script (of util-linux) or python3"),
    })
  })

  it("F21: has the size that it was given last, however early that was", async () => {
    await using local = await openLocal()
    // Takes its time to set a size, as on a busy machine.
    const PATH = await pathWithStty(join(local.outside, "slow"), "/bin/sleep 0.2")
    await using slow = await openLocal({ environment: { ...process.env, PATH } })
    const command = "read -r line; stty size"
    const terminal = await slow.workspace.openTerminal({ ...size, command })
    await terminal.resize(100, 30)
    await terminal.write("go\n")
    expect(await shown(terminal)).toMatch(/30 100\r\n$/)
  })

  it("F21: gets rows and columns at once where there is perl, without stty", async () => {
    await using local = await openLocal()
    // Sets what a terminal has at first; nothing is resized with it.
    const line = `echo "$@" >>${local.outside}/asked`
    const PATH = await pathWithStty(join(local.outside, "once"), line)
    await using once = await openLocal({ environment: { ...process.env, PATH } })
    const command = "read -r line; /usr/bin/stty size"
    const terminal = await once.workspace.openTerminal({ ...size, command })
    await terminal.resize(100, 30)
    await terminal.write("go\n")
    expect(await shown(terminal)).toMatch(/30 100\r\n$/)
    expect(await readFile(join(local.outside, "asked"), "utf8")).not.toContain("rows 30")
  })

  it("F21: says what is missing where an image lacks what its host promises", async () => {
    await using local = await openLocal()
    const bare = await pathOf(join(local.outside, "bare"), ["bash", "stty"])
    await using without = await openLocal({ environment: { ...process.env, PATH: bare } })
    const { sandbox } = without
    const { name, home, roots } = sandbox
    const perform: typeof sandbox.perform = (operation, control) =>
      sandbox.perform(operation, control)
    const can = { ...sandbox.can, terminal: true }
    const workspace = createWorkspace({ name, home, roots, can, perform })
    await expect(workspace.openTerminal(size)).rejects.toMatchObject({
      kind: "unavailable",
      message:
        "The sandbox has neither script (of util-linux) nor python3, and a terminal needs one of them.",
    })
  })

  it("F21: and input that comes while a command runs, are refused with a reason by the memory host", async () => {
    const sandbox = await memoryHost().create({ name: "default" })
    const workspace = createWorkspace(sandbox)
    await expect(workspace.openTerminal(size)).rejects.toMatchObject({
      kind: "unavailable",
      message: expect.stringMatching(/^This sandbox of the memory host has no terminals/),
    })
    const stdin = new Blob(["text"]).stream()
    await expect(workspace.exec("cat", { stdin })).rejects.toMatchObject({
      kind: "unavailable",
      message: "The memory host can't pass input on to a command while it runs.",
    })
    await sandbox.destroy()
  })

  it.each([
    [0, 24],
    [80, 1.5],
    [80, 100_000],
    [Number.NaN, 24],
  ])("F21: of %s columns and %s rows is refused", async (columns, rows) => {
    await using local = await openLocal()
    await expect(local.workspace.openTerminal({ columns, rows })).rejects.toMatchObject({
      kind: "invalid_args",
      expected: "whole numbers from 1 to 2000",
    })
  })

  it("O29: goes with its signal, with whoever reads it, and with its sandbox, and leaves no process", async () => {
    await using local = await openLocal()
    const { workspace, sandbox } = local
    const mark = await markOf(workspace)
    const controller = new AbortController()
    const open = (signal?: AbortSignal) => workspace.openTerminal({ ...size, signal })
    const [aborted, unread, asleep] = [await open(controller.signal), await open(), await open()]
    expect(processesWith(mark).length).toBeGreaterThanOrEqual(6)
    controller.abort()
    expect(await aborted.ended).toEqual({ kind: "closed" })
    await unread.output.cancel()
    expect(await unread.ended).toEqual({ kind: "closed" })
    await sandbox.sleep()
    expect(await asleep.ended).toEqual({ kind: "gone", why: "The sandbox went to sleep." })
    await until(() => processesWith(mark).length === 0, limits.killWaitMs)
    await expect(open(controller.signal)).rejects.toBe(controller.signal.reason)
  })
})
