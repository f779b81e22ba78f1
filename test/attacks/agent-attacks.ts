import { afterAll, beforeAll, expect, it } from "vitest"
import { openEverything, overwrite } from "./agent-scripts.ts"
import type { AttackGround, OpenGround } from "./attack-ground.ts"

const inTime = { timeoutMs: 60_000 }

/** Beyond the deadline of a command whose agent was tampered with. */

/** The agent beside the commands: on every host that has one. `agent` is its number inside. */
export function attackAgent(open: OpenGround, { agent }: { readonly agent: number }): void {
  let ground: AttackGround
  beforeAll(async () => {
    ground = await open()
  })
  afterAll(() => ground[Symbol.asyncDispose]())

  it("C18, F18: finds the agent's own pipes by their names, or opens them through /proc", async () => {
    const { print, workspace } = ground
    expect(await print("ls /run/toolkeep | grep -Ev '^[0-9]+\\.(cmd|in|out|err|pipe)$'")).toBe("")
    expect(await print(openEverything)).toBe("")
    expect((await workspace.exec("exit 3", inTime)).exitCode).toBe(3)
  })

  it("F18, O29: floods the agent's answers, and its command still ends in time and costs nothing", async () => {
    const { workspace, print } = ground
    const flood = `for n in 1 2 3; do (for f in /run/toolkeep/answers /proc/[0-9]*/fd/[0-9]*; do
      [[ $(readlink $f) == *answers* ]] && while echo 999999 on; do :; done >$f; done; sleep 60) & done; wait`
    const began = performance.now()
    const before = process.cpuUsage()
    const { ending } = await workspace.exec(flood, { timeoutMs: 1_000 })
    const took = performance.now() - began
    const { user, system } = process.cpuUsage(before)
    expect(ending).toEqual({ kind: "timed-out", afterMs: 1_000 })
    expect((user + system) / 1_000).toBeLessThan(took / 10)
    expect(await print("echo alive")).toBe("alive\n")
  })

  it.each([
    ["says each answer for ever", "read", "true"],
    ["says that it is on when it is not asked", "$toolkeep_run on", "999999999999 on"],
    ["says that it is ready for ever", "$toolkeep_run $?", "ready 999999 on"],
    ["says what is no answer", "$toolkeep_run $?", "1 0x1e9 whatever"],
    ["says nothing any more", "echo", "true"],
  ])("C18, F18: makes the agent another one, which %s", async (_, from, to) => {
    const { workspace, print } = ground
    // The process that reports this command was forked before; the agent may be at its end before that reports.
    await print(overwrite(agent, from, to)).catch(() => "")
    const began = performance.now()
    const before = process.cpuUsage()
    const outcome = await workspace.exec("sleep 1000", { timeoutMs: 500 }).then(
      ({ ending }) => ending.kind,
      ({ kind }) => kind,
    )
    const took = performance.now() - began
    const { user, system } = process.cpuUsage(before)
    expect(outcome).toBeOneOf(["unavailable", "timed-out", "exited"])
    // A new agent is started besides.
    expect((user + system) / 1_000).toBeLessThan(200 + took / 10)
    await expect.poll(() => print("echo alive").catch(() => "")).toBe("alive\n")
  })
}
