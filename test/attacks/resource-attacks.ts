import { afterEach, beforeEach, expect, it } from "vitest"
import { sandboxLimits } from "../../src/sandbox/limits.ts"
import { watchTurns } from "../support/cpu-time.ts"
import { type AttackGround, commandMs, type OpenGround } from "./attack-ground.ts"

const mebibyte = 1024 ** 2

/** Taking all there is of the machine: on every host with real processes. */
export function attackResources(
  open: OpenGround,
  { sharedMemoryBytes }: { readonly sharedMemoryBytes: number },
): void {
  let ground: AttackGround
  beforeEach(async () => {
    ground = await open()
  })
  afterEach(() => ground[Symbol.asyncDispose]())

  it("O30: a fork bomb is held, and the next command runs beside it", async () => {
    const { workspace, print } = ground
    await workspace.exec(`perl -e 'close STDOUT; close STDERR; %ENV = (); exit if fork;
      while (1) { my $p = fork; if (defined $p && !$p) { sleep 1000 } }'`)
    expect(await print("echo alive")).toBe("alive\n")
    const count = async () => Number(await print("set -- /proc/[0-9]*; echo $#"))
    await expect.poll(count).toBeGreaterThan(400)
    expect(await count()).toBeLessThanOrEqual(sandboxLimits.processes)
    const neighbour = await ground.pool.workspace("neighbour")
    expect((await neighbour.exec("ls / | head -1")).stdout).toBe("bin\n")
  })

  it("O30: a fork bomb in the foreground is ended with its command", async () => {
    const { workspace, print } = ground
    const bomb = await workspace.exec(":(){ :|:& };: ; sleep 20", { timeoutMs: 1_000 })
    expect(bomb.exitCode).toBe(124)
    const outcome = await workspace.exec("echo alive").catch(() => workspace.exec("echo alive"))
    expect(outcome.stdout).toBe("alive\n")
    expect(await print("echo again")).toBe("again\n")
  })

  it("O30: memory beyond the limit ends who took it, and nobody else", async () => {
    const { workspace, print } = ground
    const { memoryBytes } = workspace.can.limits
    // Without control groups no limit is promised, and the machine's own memory is not put at risk.
    if (memoryBytes === null) return expect(workspace.can.limits.processes).toBe(null)
    await workspace.exec("sleep 1000 >/dev/null 2>&1 &")
    const greedy = await workspace.exec(
      `perl -e '$a = "x" x ${memoryBytes + 64 * mebibyte}; sleep 5'`,
    )
    expect(greedy.exitCode).toBe(137)
    expect(await print("cat /proc/[0-9]*/comm 2>/dev/null | grep -c sleep")).toBe("1\n")
  })

  it("O30: a full /tmp and a full /dev/shm say so, and end nobody", async () => {
    const { workspace, print } = ground
    const sizes = { "/tmp": sandboxLimits.temporaryBytes, "/dev/shm": sharedMemoryBytes }
    for (const [place, bytes] of Object.entries(sizes)) {
      const printed = await print(`cat /dev/zero >${place}/full; stat -c %s ${place}/full`)
      expect(printed).toContain("No space left on device")
      expect(printed).toContain(`${bytes}
`)
    }
    const refusal = workspace.writeFile("/tmp/more", "x".repeat(100_000))
    await expect(refusal).rejects.toMatchObject({ code: "no-space" })
    await print("rm /tmp/full")
    await workspace.writeFile("/tmp/more", "fits")
  })

  it("O30: empty files without number in /tmp leave the sandbox usable", async () => {
    const { workspace, print } = ground
    const files = `perl -e '$end = time + 2; while (time < $end) { open F, ">", "/tmp/" . $n++ } print $n'`
    const { stdout } = await workspace.exec(files, { timeoutMs: commandMs })
    expect(Number(stdout)).toBeGreaterThan(1_000)
    expect(await print("echo alive")).toBe("alive\n")
    expect(await workspace.readdir("/tmp", { limit: 3 })).toHaveLength(3)
  })

  it("O30: a flood of output is cut, and this process's memory stays what it was", async () => {
    const { workspace } = ground
    const before = process.memoryUsage().rss
    const flood = await workspace.exec("timeout 1 yes & timeout 1 yes >&2; wait", {
      timeoutMs: commandMs,
      maxOutputBytes: mebibyte,
    })
    expect(flood.omitted.stdout).toBeGreaterThan(mebibyte)
    expect(flood.stdoutBytes.length).toBe(mebibyte)
    expect(process.memoryUsage().rss - before).toBeLessThan(200 * mebibyte)
  })

  it("O30: many floods left in the background do not take this process's time", async () => {
    const { workspace, print } = ground
    await Promise.all(Array.from({ length: 60 }, () => workspace.exec("yes & yes >&2 &")))
    const turns = watchTurns()
    expect(await print("sleep 1; echo alive")).toBe("alive\n")
    expect(turns.stop()).toBeLessThan(200)
  })

  it("O30: zombies without number are held, and gone with their parent", async () => {
    const { workspace, print } = ground
    const zombies = `perl -e 'close STDOUT; close STDERR; exit if fork;
      for (1 .. 2000) { my $p = fork; last unless defined $p; exit unless $p } sleep 3'`
    await workspace.exec(zombies)
    expect(await print("echo alive")).toBe("alive\n")
    const left = () => workspace.exec("set -- /proc/[0-9]*; echo $#")
    await expect.poll(async () => Number((await left()).stdout), { interval: 200 }).toBeLessThan(10)
  })

  it("O30: thousands of processes one after another leave nothing behind", async () => {
    const { print } = ground
    await print("for i in {1..3000}; do (:) & (( i % 50 )) || wait; done")
    const left = () => print("ls /proc | grep -c '^[0-9]'").then(Number)
    await expect.poll(left).toBeLessThan(10)
  })
}
