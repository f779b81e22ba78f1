import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { ToolFailure } from "../../src/contract/index.ts"
import { type Clock, systemClock } from "../../src/kit/index.ts"
import { type Agent, connectAgent } from "../../src/sandbox/agent/commands/agent.ts"
import { createExchange } from "../../src/sandbox/agent/commands/exchange.ts"
import { type AgentScope, runCommand } from "../../src/sandbox/agent/commands/run-command.ts"
import type { CommandRun } from "../../src/sandbox/host/operation.ts"
import { overwrite } from "../attacks/agent-scripts.ts"
import { openMcpFixture } from "../attacks/attack-ground.ts"
import { createRandom, type Random } from "./random.ts"

const directory = mkdtempSync(join(tmpdir(), "toolkeep-fuzz-"))
const path = join(directory, "agents.sock")
const program = new URL("hostile-agent.ts", import.meta.url).pathname
const agents = spawn(process.execPath, [program, path], { stdio: ["ignore", "pipe", "inherit"] })
beforeAll(() => once(agents.stdout, "data"))
afterAll(() => {
  agents.kill("SIGKILL")
  rmSync(directory, { recursive: true, force: true })
})

const exchange = createExchange(directory)

async function meet(script: string, kill?: () => Promise<void>): Promise<Agent> {
  const socket = connect(path)
  await once(socket, "connect")
  socket.write(`${script}\n`)
  return connectAgent({
    requests: socket,
    answers: socket,
    kill: kill ?? (() => void socket.destroy()),
  })
}

/** Of the times here only the order counts. */
const hasty: Clock = {
  ...systemClock,
  after: (milliseconds, callback) => systemClock.after(milliseconds / 100, callback),
}

const scopeOf = (agent: Agent, clock: Clock): AgentScope => {
  const closing = new AbortController().signal
  return { agent, exchange, clock, closing, leftOpen: new Set(), fileBytes: 1024 }
}

const command: CommandRun = {
  kind: "command.run",
  command: "true",
  cwd: "/",
  env: {},
  stdin: new Uint8Array(),
  timeoutMs: 1_000,
  idleTimeoutMs: null,
  maxOutputBytes: 1024,
}

const stopped = new Error("The caller has had enough.")

/** How a command ended, in a word; what no command may do is thrown. */
async function outcomeOf(random: Random, scope: AgentScope): Promise<string> {
  const caller = new AbortController()
  if (random.chance(0.2)) hasty.after(random.below(2_000), () => caller.abort(stopped))
  const control = { signal: caller.signal, onOutput: () => {} }
  try {
    const operation = { ...command, timeoutMs: 200 + random.below(2_000) }
    return (await runCommand(operation, control, scope)).ending.kind
  } catch (error) {
    if (error === stopped) return "aborted"
    if (error instanceof ToolFailure) return error.kind
    throw error
  }
}

describe("an agent that says anything", () => {
  it("F18: 2,000 of them, right, nearly right and wrong: every command gets an answer, and none goes on", async () => {
    const counts: Record<string, number> = {}
    const meetOne = async (seed: number) => {
      const random = createRandom(seed)
      const agent = await meet(String(seed))
      const scope = scopeOf(agent, hasty)
      const commands = Array.from({ length: 1 + random.below(4) }, () => outcomeOf(random, scope))
      for (const kind of await Promise.all(commands)) counts[kind] = (counts[kind] ?? 0) + 1
      agent.kill()
      await agent.gone
      counts[await outcomeOf(random, scope)] ??= 1
    }
    const seeds = Array.from({ length: 2_000 }, (_, index) => 20260000 + index)
    const meetOthers = async () => {
      for (let seed = seeds.pop(); seed !== undefined; seed = seeds.pop()) await meetOne(seed)
    }
    await Promise.all(Array.from({ length: 100 }, meetOthers))
    // Seldom: one says that a directory is not there, and then that it is.
    delete counts.invalid_args
    // How many of each depends on how busy the machine is; that there are all of them does not.
    for (const count of Object.values(counts)) expect(count).toBeGreaterThan(10)
    expect(Object.keys(counts).sort()).toEqual([
      "aborted",
      "exited",
      "not_found",
      "timed-out",
      "unavailable",
    ])
  }, 600_000)

  it.each(["unknown", "old", "ready", "line", "empty", "binary"])(
    "F18, O29: one that floods (%s) is ended at once, also when nothing can kill it, and costs nothing",
    async (kind) => {
      const before = process.cpuUsage()
      const agent = await meet(kind, () => new Promise(() => {}))
      await runCommand(
        command,
        { signal: new AbortController().signal, onOutput: () => {} },
        scopeOf(agent, systemClock),
      ).catch(() => {})
      await agent.gone
      const { user, system } = process.cpuUsage(before)
      expect((user + system) / 1_000).toBeLessThan(300)
    },
  )
})

/** What a command can do to the agent and to its own reporter, from bubblewrap, where the agent has the number 2. */
const attempts = [
  ...["KILL", "STOP", "TSTP", "SEGV", "USR1", "PIPE", "CONT", "CHLD"].map(
    (name) => `kill -${name} 2`,
  ),
  ...["KILL", "STOP", "USR1"].flatMap((name) => [
    `kill -${name} $PPID`,
    `kill -${name} -1`,
    `kill -${name} 0`,
  ]),
  "kill -STOP 1; kill -KILL 1",
  ...[
    ["read", "true"],
    ["echo", "eval"],
    ["$toolkeep_run", "999999999999"],
    ["done", "case"],
    ["kill", "true"],
  ].map(([from = "", to = ""]) => overwrite(2, from, to)),
  'perl -e \'open F, ">", "/proc/2/mem"; open M, "/proc/2/maps"; while (<M>) { /^(\\w+)-.* rw/ and seek(F, hex $1, 0), syswrite F, "x" x 4096 }\'',
  "for n in {1..600}; do sleep 30 & done 2>/dev/null; wait",
  ":(){ :|:& }; : 2>/dev/null; sleep 30",
  "exec >&- 2>&- <&-; sleep 30",
  "yes | head -c 50M",
  "trap '' TERM HUP INT; while :; do sleep 0.1; done",
  "setsid -f sleep 30; ulimit -n 3; ulimit -u 1; sleep 30",
  "for f in /proc/[12]/fd/*; do echo '1 0' >$f; cat <$f; done 2>/dev/null",
  "cat /dev/urandom >/run/toolkeep/1.out; exec bash",
]

describe("the agent of a sandbox whose commands attack it", () => {
  it("F18, O29: 32 commands in random crowds of them: each gets an answer, and the next ones work", async () => {
    await using ground = await openMcpFixture()
    const random = createRandom(20260917)
    for (let round = 0; round < 8; round += 1) {
      const crowd = Array.from({ length: 4 }, async () => {
        const timeoutMs = 100 + random.below(400)
        const began = performance.now()
        const attempt = random.pick(attempts)
        const ending = await ground.workspace.exec(attempt, { timeoutMs }).then(
          ({ ending }) => ending.kind,
          (error: unknown) => (error instanceof ToolFailure ? error.kind : error),
        )
        return { attempt, ending, lateMs: performance.now() - began - timeoutMs }
      })
      for (const { attempt, ending, lateMs } of await Promise.all(crowd)) {
        expect([attempt, ending]).toEqual([
          attempt,
          expect.toBeOneOf(["exited", "timed-out", "unavailable"]),
        ])
        expect(lateMs, attempt).toBeLessThan(60_000)
      }
      // What the crowd left behind may still end the agent once.
      const next = async () =>
        (await ground.workspace.exec("echo alive", { timeoutMs: 5_000 })).stdout
      await expect.poll(() => next().catch(() => "")).toBe("alive\n")
    }
  }, 600_000)
})
