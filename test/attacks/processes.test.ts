import { spawn } from "node:child_process"
import { openSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type AttackGround, openGround } from "./attack-ground.ts"

const secret = `environment-${crypto.randomUUID()}`
let ground: AttackGround
beforeAll(async () => {
  process.env.TOOLKEEP_ATTACK_SECRET = secret
  ground = await openGround()
})
afterAll(async () => {
  delete process.env.TOOLKEEP_ATTACK_SECRET
  await ground[Symbol.asyncDispose]()
})

describe("processes of the host", () => {
  it("C18: sees a process of the host or of another sandbox", async () => {
    const { pool, print } = ground
    const other = await pool.workspace("other")
    await other.exec("exec -a neighbour-program sleep 20 >/dev/null 2>&1 &")
    const names = await print("cat /proc/[0-9]*/comm | sort -u")
    const known = ["bash", "bwrap", "cat", "sort"]
    expect(
      names
        .trim()
        .split("\n")
        .filter((name) => !known.includes(name)),
    ).toEqual([])
    expect(await print("cat /proc/*/cmdline")).not.toContain("neighbour-program")
  })

  it("C18: signals a process of the host by its number", async () => {
    const child = spawn("sleep", ["30"])
    const ended = new Promise((resolve) => child.once("exit", (_, signal) => resolve(signal)))
    const printed = await ground.print(
      `kill -9 ${child.pid}; kill -9 ${process.pid}; kill -9 -${child.pid}`,
    )
    expect(printed.match(/No such process/g)).toHaveLength(3)
    child.kill("SIGTERM")
    expect(await ended).toBe("SIGTERM")
  })

  it("C18: finds the environment of the host in its own or in any process's", async () => {
    const printed = await ground.print("env; cat /proc/*/environ; export -p")
    expect(printed).toContain("HOME=/home/user")
    expect(printed).not.toContain(secret)
    const names = (await ground.print("env"))
      .trim()
      .split("\n")
      .map((line) => line.split("=")[0])
    expect(names.sort()).toEqual(
      ["HOME", "LANG", "LOGNAME", "PATH", "PWD", "SHELL", "SHLVL", "TERM", "TMPDIR"].concat(
        "TOOLKEEP_COMMAND",
        "USER",
        "_",
      ),
    )
  })

  it("C18: uses a directory that whoever started Toolkeep left open", async () => {
    const { directory, secret: canary } = ground
    const script = join(directory, "child.ts")
    const sandbox = new URL("../../src/sandbox/index.ts", import.meta.url).pathname
    writeFileSync(
      script,
      `import { bubblewrapHost, createPool } from ${JSON.stringify(sandbox)}
      await using pool = createPool(bubblewrapHost({ directory: ${JSON.stringify(join(directory, "inherited"))} }))
      const workspace = await pool.workspace()
      const { stdout } = await workspace.exec("ls /proc/self/fd /proc/2/fd; cat /proc/*/fd/9/canary /dev/fd/9/canary")
      console.log(stdout)`,
    )
    const stdio = Array.from(
      { length: 10 },
      (_, fd) => (fd < 2 ? "pipe" : "ignore") as "pipe" | number,
    )
    stdio[9] = openSync(directory, "r")
    const child = spawn(process.execPath, [script], { stdio })
    const printed = child.stdout ? await text(child.stdout) : ""
    // Of its own, and the one with which ls reads the list.
    expect(printed.trim().split(/\s+/)).toEqual([
      "/proc/2/fd:",
      "0",
      "1",
      "2",
      "/proc/self/fd:",
      "0",
      "1",
      "2",
      "3",
    ])
    expect(printed).not.toContain(canary)
  })

  it("C18: shares memory, queues or names with the host", async () => {
    const { print } = ground
    expect(
      await print("hostname; tail -n +2 /proc/sysvipc/shm; ls -A /dev/shm /dev/mqueue 2>/dev/null"),
    ).toMatch(/^sandbox\n(\/dev\/shm:\n)?$/)
  })
})
