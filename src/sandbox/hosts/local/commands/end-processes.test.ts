import { spawn } from "node:child_process"
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import { describe, expect, it } from "vitest"
import {
  isWritten,
  markOf,
  openLocal,
  processesWith,
  until,
} from "../../../../../test/support/sandbox/local-fixture.ts"
import { systemClock } from "../../../../kit/index.ts"
import { createWorkspace } from "../../../workspace/create-workspace.ts"
import { localHost } from "../local-host.ts"
import { createLocalSandbox } from "../local-sandbox.ts"
import { endProcesses } from "./end-processes.ts"
import { linuxProcessTable, signalTable } from "./process-table.ts"

describe.concurrent("children that stay", () => {
  it("O29: a child that holds the output open does not hang the call", async () => {
    await using local = await openLocal()
    for (const script of ["sleep 1000 & echo hi", "setsid sleep 1000 & echo hi"]) {
      const result = await local.workspace.exec(script)
      expect(result).toMatchObject({ exitCode: 0, stdout: "hi\n", ending: { kind: "exited" } })
    }
  })

  it("O29: a background child goes on after its command, and may go on writing", async () => {
    await using local = await openLocal()
    const script = "(for i in $(seq 40); do echo line $i; sleep 0.01; done; echo done > finished) &"
    await local.workspace.exec(script)
    await until(() => isWritten(local, "finished"))
  })

  it("O29, R12: destroy ends every process, wherever it went, and keeps the directory", async () => {
    await using local = await openLocal()
    const { workspace, sandbox, directory } = local
    const mark = await markOf(workspace)
    await workspace.writeFile("kept.txt", "kept")
    await workspace.exec("sleep 131 & setsid sleep 132 & (setsid setsid sleep 133 &) ; true")
    await workspace.exec("nohup sleep 134 > /dev/null 2>&1 &")
    await workspace.exec("set -m; sleep 135 > /dev/null 2>&1 & disown")
    await until(() => processesWith(mark).length === 5)
    await sandbox.destroy()
    expect(processesWith(mark)).toEqual([])
    expect(await readFile(join(directory, "kept.txt"), "utf8")).toBe("kept")
  })

  it("O29: destroy finds escaped children that are just being started", async () => {
    const escapes = [
      "setsid sleep 141",
      "setsid bash -c 'setsid bash -c \"exec setsid sleep 142\" &'",
      "(setsid env A=1 nohup nice setsid -f sleep 143 &)",
    ]
    for (let round = 0; round < 30; round += 1) {
      await using local = await openLocal()
      const { stdout } = await local.workspace.exec(
        `${escapes[round % 3]} > /dev/null 2>&1 & echo $TOOLKEEP_SANDBOX`,
      )
      await local.sandbox.destroy()
      expect(processesWith(stdout.trim())).toEqual([])
    }
  })

  it("O29: finds a process that takes long to become another program, and does not wait for those without an environment", async () => {
    const directory = await mkdtemp(join(tmpdir(), "toolkeep-processes-"))
    const write = async (pid: number, file: string, text: string) => {
      await mkdir(join(directory, String(pid)), { recursive: true })
      await writeFile(join(directory, String(pid), file), text)
    }
    for (const pid of [41, 42]) {
      await write(pid, "stat", `${pid} (sh) S 1 ${pid} 1 0 -1 0 0`)
      await write(pid, "environ", "")
      await write(pid, "cmdline", "")
    }
    const table = linuxProcessTable(directory)
    const found = table.carrying("sandbox_slow")
    // Several looks later.
    await delay(100)
    await write(42, "environ", "TOOLKEEP_SANDBOX=sandbox_slow\0")
    expect(await found).toEqual([{ pid: 42, group: 42 }])
    await write(41, "cmdline", "sleep\0")
    await write(42, "environ", "PATH=/bin\0")
    expect(await table.carrying("sandbox_slow")).toEqual([])
    await rm(directory, { recursive: true })
  })

  it("O29: never ends a process that does not carry the mark", async () => {
    await using ours = await openLocal()
    await using theirs = await openLocal()
    const mark = await markOf(theirs.workspace)
    // Names our sandbox everywhere but in the mark itself.
    const id = await markOf(ours.workspace)
    await theirs.workspace.exec(`X=TOOLKEEP_SANDBOX=${id} sleep 151 > /dev/null 2>&1 &`)
    await ours.workspace.exec("sleep 152 > /dev/null 2>&1 &")
    await ours.sandbox.destroy()
    expect(processesWith(id)).toEqual(["sleep 151"])
    expect(processesWith(mark)).toEqual(["sleep 151"])
  })

  it("O29: never ends a group that got the number of one that is gone", async () => {
    const theirs = spawn("sleep", ["153"], { detached: true })
    const id = theirs.pid ?? 0
    // As if ours had led a group of that number and ended long ago.
    const groups = [{ id, isLed: () => false }]
    for (const processes of [signalTable, linuxProcessTable("/proc")]) {
      await endProcesses({ mark: "sandbox_none", groups, processes, clock: systemClock })
    }
    expect(linuxProcessTable("/proc").living([id])).toEqual([id])
    theirs.kill("SIGKILL")
  })

  it("O29: where environments can't be seen, destroy ends what is left of each group", async () => {
    await using local = await openLocal()
    const host = localHost({ directoryFor: () => local.directory })
    const sandbox = createLocalSandbox({
      name: "blind",
      directory: local.directory,
      can: host.can,
      bash: "/bin/bash",
      clock: systemClock,
      environment: process.env,
      processes: signalTable,
    })
    const workspace = createWorkspace(sandbox)
    const mark = await markOf(workspace)
    await workspace.exec("sleep 161 > /dev/null 2>&1 & true")
    const ended = await workspace.exec("sleep 162", { timeoutMs: 100 })
    expect(ended.exitCode).toBe(124)
    // A child is its shell until it becomes the program.
    await until(() => processesWith(mark).join() === "sleep 161")
    const running = workspace.exec("sleep 164")
    running.catch(() => {})
    await sandbox.destroy()
    await expect(running).rejects.toThrow("The sandbox was closed.")
    expect(processesWith(mark)).toEqual([])
  })
})

describe("destroy", () => {
  it("R12: ends running commands, whose calls say that the sandbox was closed", async () => {
    await using local = await openLocal()
    const mark = await markOf(local.workspace)
    const running = Array.from({ length: 20 }, () => local.workspace.exec("sleep 191 & sleep 192"))
    const answers = Promise.allSettled(running)
    await until(() => processesWith(mark).length >= 60)
    await Promise.all([local.sandbox.destroy(), local.sandbox.destroy()])
    expect(processesWith(mark)).toEqual([])
    for (const answer of await answers) {
      expect(answer).toMatchObject({
        status: "rejected",
        reason: { kind: "unavailable", message: "The sandbox was closed." },
      })
    }
    await expect(local.workspace.exec("true")).rejects.toThrow("The sandbox was closed.")
    await expect(local.workspace.readFile("x")).rejects.toThrow("The sandbox was closed.")
  })
})

/** These look at the whole process, or hold it up. */
describe("alone", () => {
  it("O29: a background flood that nobody reads is slowed down, not blocked", async () => {
    await using local = await openLocal()
    const started = process.cpuUsage()
    await local.workspace.exec("head -c 2000000 /dev/zero && echo done > finished &")
    await local.workspace.exec("yes &")
    await until(() => isWritten(local, "finished"))
    await new Promise((resolve) => setTimeout(resolve, 500))
    const { user, system } = process.cpuUsage(started)
    expect(user + system).toBeLessThan(450_000)
  })

  it("R12: leaves no open file and no temporary file behind", async () => {
    await using local = await openLocal()
    const temporary = join(local.directory, "tmp")
    await local.workspace.exec("mkdir tmp")
    const host = localHost({
      directoryFor: () => local.directory,
      environment: { ...process.env, TMPDIR: temporary },
    })
    const before = (await readdir("/proc/self/fd")).length
    for (let round = 0; round < 3; round += 1) {
      const sandbox = await host.create({ name: "other" })
      const workspace = createWorkspace(sandbox)
      await workspace.exec("cat; sleep 100 &", { stdin: "x" })
      await workspace.exec(["no-such-program"])
      await workspace.exec("true", { cwd: "missing" }).catch(() => {})
      await sandbox.destroy()
    }
    await until(async () => (await readdir("/proc/self/fd")).length <= before)
    expect(await readdir(temporary)).toEqual([])
  })
})
