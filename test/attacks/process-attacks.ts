import { spawn } from "node:child_process"
import { afterAll, beforeAll, expect, it } from "vitest"
import { type AttackGround, type OpenGround, setUpMs } from "./attack-ground.ts"

/** Ways to the host's processes and to what they hold: on every host with real processes. */
export function attackProcesses(open: OpenGround): void {
  const secret = `environment-${crypto.randomUUID()}`
  let ground: AttackGround
  beforeAll(async () => {
    process.env.TOOLKEEP_ATTACK_SECRET = secret
    ground = await open()
  })
  afterAll(async () => {
    delete process.env.TOOLKEEP_ATTACK_SECRET
    await ground[Symbol.asyncDispose]()
  })

  it("C18: sees a process of the host or of another sandbox", async () => {
    const { pool, print } = ground
    const other = await pool.workspace("other")
    await other.exec("exec -a neighbour-program sleep 20 >/dev/null 2>&1 &")
    const names = await print("cat /proc/[0-9]*/comm 2>/dev/null | sort -u")
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
    const child = spawn("sleep", ["1000"])
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
      // Engines add the name that the sandbox has anyway, and their own.
      .filter((line) => !["HOSTNAME=sandbox", "container=podman"].includes(line))
      .map((line) => line.split("=")[0])
    expect(names.sort()).toEqual(
      ["HOME", "LANG", "LOGNAME", "PATH", "PWD", "SHELL", "SHLVL", "TERM", "TMPDIR"].concat(
        "TOOLKEEP_COMMAND",
        "USER",
        "_",
      ),
    )
  })

  it("C18: shares memory, queues or names with the host", async () => {
    const { print } = ground
    const tables = "for t in shm msg sem; do tail -n +2 /proc/sysvipc/$t; done"
    const queues = "ls -A /dev/mqueue 2>/dev/null"
    expect(await print(`hostname; ${tables}; ls -A /dev/shm; ${queues}`)).toBe("sandbox\n")
  })

  it("C18: holds a file of the host open in any of its processes", async () => {
    const held = (await ground.print("readlink /proc/[0-9]*/fd/* 2>/dev/null")).trim().split("\n")
    const files = held.filter((path) => path.startsWith("/"))
    expect(files).toContain("/dev/null")
    const own = /^(\/dev\/null|\/run\/toolkeep\/.+|\/proc\/\d+\/fd)$/
    expect(files.filter((path) => !own.test(path))).toEqual([])
  })

  it("C18, O29: takes the input of the commands after it, or keeps them waiting for it", async () => {
    const { workspace } = ground
    const pieces = ["first ", "second"]
    const stdin = () => ReadableStream.from(pieces.map((piece) => new TextEncoder().encode(piece)))
    const thief = "exec 3<&0; setsid sh -c 'cat <&3 >stolen; sleep 1000' >/dev/null 2>&1 & exit 0"
    for (const round of [1, 2, 3]) {
      // Ends at once, before all of its input is there.
      const endless = new ReadableStream<Uint8Array>({ pull: () => new Promise(() => {}) })
      expect(await workspace.exec(thief, { stdin: endless })).toMatchObject({ exitCode: 0 })
      const read = await workspace.exec("cat", { stdin: stdin(), timeoutMs: setUpMs })
      expect([round, read.stdout, read.ending.kind]).toEqual([round, "first second", "exited"])
    }
    expect(await ground.print("cat stolen")).toBe("")
  })
}
