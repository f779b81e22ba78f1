import { setTimeout as pause } from "node:timers/promises"
import type {
  CommandOutcome,
  CommandRun,
  OperationControl,
  Sandbox,
} from "../../../src/sandbox/index.ts"
import { alterControl, alterRuns, captured, noBytes } from "./alter-commands.ts"
import {
  alterSandboxes,
  type BrokenHost,
  destroyedLate,
  type Handlers,
  replaceSandboxes,
} from "./broken-host.ts"

const never = new AbortController().signal

/** Hosts that end commands wrongly, or not at all. */
export const flawedEndings: readonly BrokenHost[] = [
  {
    flaw: "drops the timeout",
    caughtBy: [
      ...["deadline", "busy-loop", "pipeline", "argument-list", "stubborn", "next-works"].map(
        (name) => `timeouts.${name}`,
      ),
      "idle-timeouts.with-deadline",
    ],
    hangs: true,
    breakHost: (good) => alterRuns(good, () => ({ timeoutMs: null })),
  },
  {
    flaw: "answers at the deadline and leaves the work running",
    caughtBy: [
      "timeouts.work-stops",
      "process-groups.deadline",
      "process-groups.setsid",
      "process-groups.stubborn",
    ],
    breakHost: (good) => alterSandboxes(good, () => ({ "command.run": answerWithoutEnding })),
  },
  {
    flaw: "kills only the leader",
    caughtBy: ["process-groups.deadline"],
    breakHost: (good) => alterSandboxes(good, () => endWith("kill -KILL $(cat leader.pid)")),
  },
  {
    flaw: "kills only the process group",
    caughtBy: ["process-groups.setsid"],
    breakHost: (good) => alterSandboxes(good, () => endWith("kill -KILL -- -$(cat leader.pid)")),
  },
  {
    flaw: "asks a process group to end and does not insist",
    caughtBy: ["process-groups.stubborn"],
    breakHost: (good) => alterSandboxes(good, () => endWith("kill -TERM -- -$(cat leader.pid)")),
  },
  {
    flaw: "uses a 32-bit timer for the deadline",
    caughtBy: ["timeouts.far"],
    breakHost: (good) =>
      alterRuns(good, ({ timeoutMs }) => ({
        timeoutMs: (timeoutMs ?? 0) >= 2 ** 31 ? 1 : timeoutMs,
      })),
  },
  {
    flaw: "uses a 32-bit timer for the idle timeout",
    caughtBy: ["idle-timeouts.far"],
    breakHost: (good) =>
      alterRuns(good, ({ idleTimeoutMs }) => ({
        idleTimeoutMs: (idleTimeoutMs ?? 0) >= 2 ** 31 ? 1 : idleTimeoutMs,
      })),
  },
  {
    flaw: "takes milliseconds for seconds",
    caughtBy: ["timeouts.deadline"],
    breakHost: (good) =>
      alterRuns(good, ({ timeoutMs }) => ({ timeoutMs: timeoutMs && timeoutMs * 1_000 })),
  },
  {
    flaw: "waits for every deadline",
    caughtBy: ["timeouts.not-waited-for"],
    breakHost: (good) =>
      alterSandboxes(good, () => ({
        async "command.run"(run, control, sandbox) {
          const outcome = await sandbox.perform<"command.run">(run, control)
          await pause(run.timeoutMs ?? 0, undefined, { ref: false })
          return outcome
        },
      })),
  },
  {
    flaw: "drops the idle timeout",
    caughtBy: ["idle-timeouts.silence", "idle-timeouts.work-stops"],
    breakHost: (good) => alterRuns(good, () => ({ idleTimeoutMs: null })),
  },
  {
    flaw: "does not start the idle timeout anew",
    caughtBy: ["idle-timeouts.reset", "idle-timeouts.stderr-counts"],
    breakHost: (good) => alterRuns(good, ({ idleTimeoutMs }) => ({ timeoutMs: idleTimeoutMs })),
  },
  {
    flaw: "ignores stderr in the idle timeout",
    caughtBy: ["idle-timeouts.stderr-counts"],
    breakHost: (good) =>
      alterRuns(good, ({ command, idleTimeoutMs }) => ({
        timeoutMs: String(command).includes(">&2") ? idleTimeoutMs : null,
      })),
  },
  {
    flaw: "starts work whose signal is already aborted",
    caughtBy: ["abort.before"],
    breakHost: (good) =>
      alterSandboxes(good, () => ({
        async "command.run"(run, control, sandbox) {
          const outcome = await sandbox.perform<"command.run">(run, { ...control, signal: never })
          control.signal.throwIfAborted()
          return outcome
        },
      })),
  },
  {
    flaw: "ignores the signal",
    caughtBy: ["abort.during", "abort.busy-loop"],
    hangs: true,
    breakHost: (good) => alterControl(good, () => ({ signal: never })),
  },
  {
    flaw: "rejects at an abort and leaves the work running",
    caughtBy: ["abort.work-stops", "process-groups.abort", "process-groups.setsid-abort"],
    breakHost: (good) =>
      alterSandboxes(good, () => ({
        "command.run": (run, control, sandbox) =>
          Promise.race([
            sandbox.perform<"command.run">(run, { ...control, signal: never }),
            abortOf(control),
          ]),
      })),
  },
  {
    flaw: "rejects at an abort with an error of its own",
    caughtBy: ["abort.during"],
    breakHost: (good) =>
      alterSandboxes(good, () => ({
        async "command.run"(run, control, sandbox) {
          const outcome = await sandbox.perform<"command.run">(run, control)
          if (control.signal.aborted) throw new Error("The operation was cancelled")
          return outcome
        },
      })),
  },
  {
    flaw: "rejects at an abort, so that the output is lost",
    caughtBy: ["abort.output"],
    breakHost: (good) =>
      alterSandboxes(good, () => ({
        async "command.run"(run, control, sandbox) {
          const outcome = await sandbox.perform<"command.run">(run, control)
          control.signal.throwIfAborted()
          return outcome
        },
      })),
  },
  {
    flaw: "breaks when a signal is aborted after the end",
    caughtBy: ["abort.after-end"],
    breakHost: (good) =>
      alterSandboxes(good, () => {
        let broken = false
        return {
          async "command.run"(run, control, sandbox) {
            if (broken) throw new Error("The agent is gone")
            const outcome = await sandbox.perform<"command.run">(run, control)
            control.signal.addEventListener("abort", () => {
              broken = true
            })
            return outcome
          },
        }
      }),
  },
  {
    flaw: "restarts its sandbox to end a command",
    caughtBy: ["timeouts.neighbour", "timeouts.files-kept", "abort.neighbour", "abort.files-kept"],
    breakHost: (good) => alterSandboxes(good, restarting),
  },
  {
    flaw: "waits until nobody holds the output open",
    caughtBy: ["process-groups.held-pipe", "process-groups.held-pipe-deadline"],
    breakHost: (good) =>
      alterRuns(good, ({ command, timeoutMs }) => ({
        command: `${String(command).replace(/; (exit|sleep) .*/, "")}; wait`,
        timeoutMs: timeoutMs && 60_000,
      })),
  },
  {
    flaw: "leaves processes behind when it is destroyed",
    caughtBy: ["process-groups.destroy"],
    breakHost: (good) => replaceSandboxes(good, destroyedLate),
  },
]

function abortOf({ signal }: OperationControl): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason))
  })
}

async function answerWithoutEnding(
  run: CommandRun,
  control: OperationControl,
  good: Sandbox,
): Promise<CommandOutcome> {
  const work = good.perform<"command.run">({ ...run, timeoutMs: null }, control)
  if (run.timeoutMs === null) return work
  work.catch(() => {})
  await pause(run.timeoutMs)
  return {
    exitCode: 124,
    stdout: captured(noBytes),
    stderr: captured(noBytes),
    ending: { kind: "timed-out", afterMs: run.timeoutMs },
  }
}

/** Answers at the deadline after a blow that does not end everything. */
function endWith(blow: string): Handlers {
  return {
    async "command.run"(run, control, good) {
      if (run.timeoutMs === null) return good.perform<"command.run">(run, control)
      const started = { ...run, command: `echo $$ > leader.pid\n${run.command}` }
      const answer = await answerWithoutEnding(started, control, good)
      await good.perform<"command.run">({ ...run, command: blow, timeoutMs: null }, control)
      return answer
    },
  }
}

/** Files and neighbours are lost whenever a command has to be ended. */
function restarting(): Handlers {
  let life = new AbortController()
  const restart = async (run: CommandRun, good: Sandbox) => {
    life.abort(new Error("The sandbox was restarted"))
    life = new AbortController()
    const wipe = { ...run, command: "rm -rf ./*", timeoutMs: null }
    await good.perform<"command.run">(wipe, { signal: never, onOutput: () => {} })
  }
  return {
    async "command.run"(run, control, good) {
      const signal = AbortSignal.any([control.signal, life.signal])
      try {
        const outcome = await good.perform<"command.run">(run, { ...control, signal })
        if (outcome.ending.kind !== "exited") await restart(run, good)
        return outcome
      } catch (error) {
        await restart(run, good)
        throw error
      }
    },
  }
}
