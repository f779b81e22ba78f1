import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Clock, systemClock } from "../../src/kit/index.ts"
import { bubblewrapHost } from "../../src/sandbox/index.ts"
import { attackAgent } from "./agent-attacks.ts"
import { overwrite } from "./agent-scripts.ts"
import { type AttackGround, commandMs, openGroundOn, openMcpFixture } from "./attack-ground.ts"

let ground: AttackGround
beforeAll(async () => {
  ground = await openMcpFixture()
})
afterAll(() => ground[Symbol.asyncDispose]())

const unavailable = { kind: "unavailable" }
const inTime = { timeoutMs: commandMs }

describe("the agent that runs the commands", () => {
  it("F18: kills the agent while other commands run, and all are answered", async () => {
    const { workspace, print } = ground
    const others = Array.from({ length: 8 }, () => workspace.exec("sleep 30", inTime))
    const settled = Promise.allSettled(others)
    const killer = workspace.exec("sleep 0.3; kill -9 2; sleep 5", inTime)
    await expect(killer).rejects.toMatchObject(unavailable)
    for (const one of await settled) {
      expect(one).toMatchObject({ status: "rejected", reason: unavailable })
    }
    expect(await print("echo alive")).toBe("alive\n")
  })

  it("F18: kills every process it can see, and its files stay", async () => {
    const { workspace, print } = ground
    await workspace.writeFile("kept", "still here")
    await expect(workspace.exec("kill -9 -1; sleep 5", inTime)).rejects.toMatchObject(unavailable)
    expect(await workspace.readFile("kept")).toBe("still here")
    expect(await print("echo alive")).toBe("alive\n")
  })

  it("F18: kills only the process that would report its end", async () => {
    const { workspace } = ground
    const group = await workspace.exec("kill -9 0", inTime)
    expect([group.exitCode, group.ending]).toEqual([137, { kind: "exited" }])
    const parent = await workspace.exec("kill -9 $PPID; sleep 1000; echo late", inTime)
    expect([parent.exitCode, parent.stdout]).toEqual([137, ""])
  })

  it("F18, O29: starts programs that leave its group while it is killed, and none of them is left", async () => {
    const { workspace, print } = ground
    const forking = "(trap '' TERM; while :; do setsid -f sleep 4321; done)"
    for (const timeoutMs of [100, 200, 300]) {
      const { ending } = await workspace.exec(forking, { timeoutMs })
      expect(ending).toEqual({ kind: "timed-out", afterMs: timeoutMs })
      expect(
        await print("cat /proc/[0-9]*/cmdline | tr -d '\\0' | grep -o slee[p]4321; true"),
      ).toBe("")
    }
  })

  it("F18, O29: stops the agent, so that it can neither start nor end a command", async () => {
    const { workspace, print } = ground
    await workspace.exec("kill -STOP 2")
    const stuck = await workspace.exec("echo never", { timeoutMs: 200 })
    expect([stuck.exitCode, stuck.ending]).toEqual([124, { kind: "timed-out", afterMs: 200 }])
    expect(await print("echo alive")).toBe("alive\n")
  })

  it("F18: stops the agent under a command that has no deadline", async () => {
    // Only while the agent is stopped: one that is started on a busy machine has all of its time.
    let pace = 1
    const after: Clock["after"] = (milliseconds, callback, urgency) =>
      systemClock.after(milliseconds / pace, callback, urgency)
    await using own = await openGroundOn(({ directory }) =>
      bubblewrapHost({ directory, clock: { ...systemClock, after } }),
    )
    pace = 20
    const waiting = own.workspace.exec("kill -STOP 2; sleep 1000")
    await expect(waiting).rejects.toMatchObject(unavailable)
    pace = 1
    expect(await own.print("echo alive")).toBe("alive\n")
  })

  it("C18: writes into the agent's input and output through /proc", async () => {
    const { print } = ground
    const printed = await print(`for f in 0 1 2; do for p in 1 2; do
      { echo "run 1 0" >/proc/$p/fd/$f; } 2>&1; done; done; echo over`)
    expect(printed.match(/No such device or address/g)).toHaveLength(5)
    expect(printed).toMatch(/over\n$/)
    expect(await print("echo alive")).toBe("alive\n")
  })

  it("C18, F18: writes into the agent's memory and forges what it answers", async () => {
    const { pool, workspace, print } = ground
    const other = await pool.workspace("bystander")
    // The process that reports this command was forked before, and is not changed with the agent.
    const changed = Number(await print(overwrite(2, "$toolkeep_run $?", "1 0x1e9 whatever")))
    const forged = await workspace.exec("exit 3", inTime).catch((error: unknown) => error)
    if (changed > 0) expect(forged).toMatchObject(unavailable)
    else expect(forged).toMatchObject({ exitCode: 3 })
    expect(await print("echo alive")).toBe("alive\n")
    expect((await other.exec("exit 5")).exitCode).toBe(5)
  })

  it("C18: puts a link to a host file where the host opens a pipe", async () => {
    const { print, canary, secret, canaryContent } = ground
    const printed = await print(`cd /run/toolkeep; rm -f 0.out 5.out; ln -sf ${canary} 5.out
      mv 1.out 1.old; touch 99.out; chmod 777 0.cmd; echo x >0.cmd; ls 1.old 99.out 2>/dev/null`)
    expect(printed).toContain("Read-only file system")
    expect(printed).not.toMatch(/^(1\.old|99\.out)$/m)
    expect(await print("echo alive")).toBe("alive\n")
    expect(canaryContent()).toBe(secret)
  })

  it("F18: closes its output, reopens it and writes into the pipes of other commands", async () => {
    const { workspace } = ground
    const closed = await workspace.exec("exec >&- 2>&-; sleep 0.3; exit 3", inTime)
    expect([closed.exitCode, closed.stdout]).toEqual([3, ""])
    const reopened = await workspace.exec("exec >&-; exec >/dev/stderr; echo moved; exit 4", inTime)
    expect([reopened.exitCode, reopened.stderr]).toEqual([4, "moved\n"])
    const flood = `for n in {0..15}; do timeout 0.2 bash -c "echo noise >/run/toolkeep/$n.out" & done
      wait; echo mine`
    expect((await workspace.exec(flood, inTime)).stdout).toContain("mine\n")
    expect((await workspace.exec("echo clean", inTime)).stdout).toBe("clean\n")
  })

  it("F18: opens and closes the pipes of commands before they do", async () => {
    const { workspace } = ground
    const meddler = `perl -MFcntl -e 'close STDOUT; close STDERR; exit if fork; $end = time + 4;
      while (time < $end) {
        sysopen F, $_, O_WRONLY | O_NONBLOCK for glob "/run/toolkeep/*.{out,err}"; close F }'`
    await workspace.exec(meddler)
    const commands = Array.from({ length: 60 }, (_, n) => workspace.exec(`echo ${n}`, inTime))
    const printed = (await Promise.all(commands)).map(({ stdout }) => stdout)
    expect(printed).toEqual(printed.map((_, n) => `${n}\n`))
  })

  it("C18: reads what an earlier command was given in its environment and its input", async () => {
    const { workspace, print } = ground
    const given = { env: { TOKEN: "sesame-token" }, stdin: "sesame-input" }
    expect((await workspace.exec('echo "$TOKEN"; cat', given)).stdout).toContain("sesame-input")
    const printed = await print("cat /run/toolkeep/*.cmd /run/toolkeep/*.in /proc/*/environ; true")
    expect(printed.replaceAll("\0", "\n")).not.toMatch(/sesame-(token|input)/)
  })

  it("C18: poisons the shell that later commands run in", async () => {
    const { workspace, print } = ground
    await workspace.exec(`alias ls=false; ls() { echo poisoned; }; export -f ls; export PATH=/tmp
      trap 'echo poisoned' EXIT; umask 777; cd /tmp; ulimit -n 10; set -o noglob; exec 2>&1`)
    const later = await print('pwd; umask; ls -d /u*; echo "$PATH"')
    expect(later).toBe(
      `/home/user\n0022\n/usr\n${"/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin"}\n`,
    )
  })

  it("F18: starts what survives its own end and the end of its group", async () => {
    const { workspace, print } = ground
    const runaway = "setsid -f sh -c 'while :; do date +%N >beat; sleep 0.05; done'; sleep 30"
    const ended = await workspace.exec(runaway, { timeoutMs: 500 })
    expect(ended.ending.kind).toBe("timed-out")
    const before = await print("cat beat")
    expect(await print("sleep 0.3; cat beat")).toBe(before)
  })
})

describe("the agent from its own sandbox, on bubblewrap", () =>
  attackAgent(openMcpFixture, { agent: 2 }))
