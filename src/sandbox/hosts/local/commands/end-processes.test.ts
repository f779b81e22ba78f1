import { readdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { systemClock } from "../../../../kit/index.ts"
import { createWorkspace } from "../../../create-workspace.ts"
import { type LocalFixture, markOf, openLocal, processesWith, until } from "../local-fixture.ts"
import { localHost } from "../local-host.ts"
import { createLocalSandbox } from "../local-sandbox.ts"
import { linuxProcessTable } from "./linux-process-table.ts"
import { signalTable } from "./process-table.ts"

async function timed<Result>(work: Promise<Result>): Promise<{ result: Result; ms: number }> {
  const started = performance.now()
  const result = await work
  return { result, ms: performance.now() - started }
}

async function isWritten({ directory }: LocalFixture, name: string): Promise<boolean> {
  return readFile(join(directory, name)).then(
    () => true,
    () => false,
  )
}

describe("timeouts", () => {
  it("F8, F11, Y12: ends a command at its deadline, with exit 124 and what it wrote", async () => {
    await using local = await openLocal()
    const { result, ms } = await timed(
      local.workspace.exec("echo before; echo warning >&2; sleep 100; echo after", {
        timeoutMs: 200,
      }),
    )
    expect(result).toMatchObject({
      exitCode: 124,
      stdout: "before\n",
      stderr: "warning\n",
      ending: { kind: "timed-out", afterMs: 200 },
    })
    expect(ms).toBeGreaterThanOrEqual(200)
    expect(ms).toBeLessThan(2_000)
  })

  it("O29: what a command says when it is asked to end is kept", async () => {
    await using local = await openLocal()
    const script = "trap 'echo cleaning up; exit 0' TERM; echo ready; while :; do sleep 0.02; done"
    const { stdout, exitCode } = await local.workspace.exec(script, { timeoutMs: 300 })
    expect([stdout, exitCode]).toEqual(["ready\ncleaning up\n", 124])
  })

  it("O29: a command that ignores SIGTERM, and its children, die by SIGKILL 3 s later", async () => {
    await using local = await openLocal()
    const mark = await markOf(local.workspace)
    const script =
      "trap '' TERM; (trap '' TERM; sleep 50; sleep 50) & setsid bash -c \"trap '' TERM; sleep 50; sleep 50\" & sleep 50; sleep 50"
    const { result, ms } = await timed(local.workspace.exec(script, { timeoutMs: 300 }))
    expect(processesWith(mark)).toEqual([])
    expect(result.ending).toEqual({ kind: "timed-out", afterMs: 300 })
    expect(ms).toBeGreaterThanOrEqual(3_300)
    expect(ms).toBeLessThan(5_000)
  })

  it("O29: ends grandchildren, escaped children and children without the mark in the group", async () => {
    await using local = await openLocal()
    const mark = await markOf(local.workspace)
    const script = `
      bash -c 'bash -c "sleep 111"' &
      setsid bash -c 'sleep 112; true' &
      setsid setsid sleep 113 > /dev/null 2>&1 < /dev/null &
      env -i sleep 114 & echo $! > unmarked
      wait`
    const running = local.workspace.exec(script, { timeoutMs: 400 })
    await until(
      () => processesWith(mark).filter((command) => command.startsWith("sleep")).length >= 3,
    )
    expect((await running).exitCode).toBe(124)
    expect(processesWith(mark)).toEqual([])
    const unmarked = Number(await readFile(join(local.directory, "unmarked"), "utf8"))
    expect(linuxProcessTable("/proc").living([unmarked])).toEqual([])
  })

  it("O29: leaves the background children of other commands alone", async () => {
    await using local = await openLocal()
    await local.workspace.exec("sleep 121 > /dev/null 2>&1 &")
    await local.workspace.exec("sleep 122", { timeoutMs: 50 })
    const mark = await markOf(local.workspace)
    expect(processesWith(mark)).toEqual(["sleep 121"])
  })

  it("F8: a deadline beyond what a timer can count is not a deadline at once", async () => {
    await using local = await openLocal()
    const options = { timeoutMs: 2 ** 31 + 1_000, idleTimeoutMs: 2 ** 40 }
    const { exitCode, ending } = await local.workspace.exec("sleep 0.1; exit 5", options)
    expect([exitCode, ending]).toEqual([5, { kind: "exited" }])
  })

  it("F18: a command that was done in time has not timed out because this process was busy", async () => {
    await using local = await openLocal()
    const running = local.workspace.exec("sleep 0.1; echo done", {
      timeoutMs: 400,
      idleTimeoutMs: 300,
    })
    await new Promise((resolve) => setTimeout(resolve, 20))
    const blockedUntil = performance.now() + 800
    while (performance.now() < blockedUntil);
    expect(await running).toMatchObject({
      exitCode: 0,
      stdout: "done\n",
      ending: { kind: "exited" },
    })
  })

  it("O24: the idle timeout is reset by every byte on either stream", async () => {
    await using local = await openLocal()
    const script =
      "for i in 1 2 3 4; do printf .; sleep 0.15; printf . >&2; sleep 0.15; done; sleep 100"
    const { result, ms } = await timed(local.workspace.exec(script, { idleTimeoutMs: 500 }))
    expect(result).toMatchObject({
      exitCode: 124,
      stdout: "....",
      stderr: "....",
      ending: { kind: "idle", afterMs: 500 },
    })
    expect(ms).toBeGreaterThanOrEqual(1_500)
  })
})

describe("children that stay", () => {
  it("O29: a child that holds the output open does not hang the call", async () => {
    await using local = await openLocal()
    for (const script of ["sleep 100 & echo hi", "setsid sleep 100 & echo hi"]) {
      const { result, ms } = await timed(local.workspace.exec(script))
      expect(result).toMatchObject({ exitCode: 0, stdout: "hi\n", ending: { kind: "exited" } })
      expect(ms).toBeLessThan(1_500)
    }
  })

  it("O29: a background child goes on after its command, and may go on writing", async () => {
    await using local = await openLocal()
    const script = "(for i in $(seq 40); do echo line $i; sleep 0.01; done; echo done > finished) &"
    await local.workspace.exec(script)
    await until(() => isWritten(local, "finished"))
  })

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

  it("O29, R12: destroy ends every process, wherever it went, and keeps the directory", async () => {
    await using local = await openLocal()
    const { workspace, sandbox, directory } = local
    const mark = await markOf(workspace)
    await workspace.writeFile("kept.txt", "kept")
    await workspace.exec("sleep 131 & setsid sleep 132 & (setsid setsid sleep 133 &) ; true")
    await workspace.exec("nohup sleep 134 > /dev/null 2>&1 &")
    await workspace.exec("set -m; sleep 135 > /dev/null 2>&1 & disown")
    expect(processesWith(mark).length).toBe(5)
    await sandbox.destroy()
    expect(processesWith(mark)).toEqual([])
    expect(await readFile(join(directory, "kept.txt"), "utf8")).toBe("kept")
  })

  it("O29: destroy right after the start of an escaped child finds it", async () => {
    for (let round = 0; round < 25; round += 1) {
      await using local = await openLocal()
      const { stdout } = await local.workspace.exec(
        "setsid bash -c 'exec sleep 141' > /dev/null 2>&1 & echo $TOOLKEEP_SANDBOX",
      )
      await local.sandbox.destroy()
      expect(processesWith(stdout.trim())).toEqual([])
    }
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
    expect(processesWith(mark)).toEqual(["sleep 161"])
    const running = workspace.exec("sleep 164")
    running.catch(() => {})
    await sandbox.destroy()
    await expect(running).rejects.toThrow("The sandbox was closed.")
    expect(processesWith(mark)).toEqual([])
  })
})

describe("abort", () => {
  it("F11: an aborted signal starts nothing and rejects with its reason", async () => {
    await using local = await openLocal()
    const reason = new Error("too late")
    const running = local.workspace.exec("echo > started", { signal: AbortSignal.abort(reason) })
    await expect(running).rejects.toBe(reason)
    expect(await isWritten(local, "started")).toBe(false)
    const direct = local.sandbox.perform<"file.stat">(
      { kind: "file.stat", path: local.directory },
      { signal: AbortSignal.abort(reason), onOutput: () => {} },
    )
    await expect(direct).rejects.toBe(reason)
  })

  it("F11, Y12: aborting ends the command and everything of it, then rejects with the reason", async () => {
    await using local = await openLocal()
    const mark = await markOf(local.workspace)
    const controller = new AbortController()
    const running = local.workspace.exec("setsid sleep 171 & sleep 172 & echo > started; wait", {
      signal: controller.signal,
    })
    running.catch(() => {})
    await until(() => isWritten(local, "started"))
    const reason = { why: "the caller gave up" }
    controller.abort(reason)
    await expect(running).rejects.toBe(reason)
    expect(processesWith(mark)).toEqual([])
  })

  it("F11: aborting while the output drains ends what is left of the command", async () => {
    await using local = await openLocal()
    const mark = await markOf(local.workspace)
    const controller = new AbortController()
    const running = local.workspace.exec("sleep 181 & echo hi", {
      signal: controller.signal,
      onOutput: () => setTimeout(() => controller.abort("enough"), 50),
    })
    await expect(running).rejects.toBe("enough")
    expect(processesWith(mark)).toEqual([])
  })

  it("F11: aborting after the end changes nothing", async () => {
    await using local = await openLocal()
    const controller = new AbortController()
    const { exitCode } = await local.workspace.exec("exit 7", { signal: controller.signal })
    controller.abort()
    expect(exitCode).toBe(7)
    expect((await local.workspace.exec("exit 8")).exitCode).toBe(8)
  })

  it("F11: aborting a command that is already being ended rejects with the reason", async () => {
    await using local = await openLocal()
    const controller = new AbortController()
    const script = "trap 'sleep 0.3; exit 0' TERM; while :; do sleep 0.01; done"
    const running = local.workspace.exec(script, { timeoutMs: 200, signal: controller.signal })
    setTimeout(() => controller.abort("too late"), 300)
    await expect(running).rejects.toBe("too late")
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
