import type { CommandRun, Host, OperationControl } from "../../../src/sandbox/index.ts"
import { captured, noBytes } from "./alter-commands.ts"
import { alterSandboxes, type BrokenHost, type Handlers } from "./broken-host.ts"

const never = new AbortController().signal

/** Hosts that pass input on wrongly while a command runs, and with it what is typed. */
export const flawedTerminals: readonly BrokenHost[] = [
  {
    ...inTerminals("passes input on when it has ended", ["stdin.live", "terminal.typed"], {
      control: ({ input }) => ({ input: input && whenEnded(input) }),
    }),
    hangs: true,
  },
  inTerminals("calls a pipe a terminal", ["terminal.tty"], {
    run: ({ command }) => ({
      command: String(command)
        .replace(/SHELL=\$BASH exec script -qfec (.*) \/dev\/null; fi/s, "exec bash -c $1; fi")
        .replace("tty >&4", "echo /dev/pts/0 >&4"),
    }),
  }),
  flawed("tells nobody of a new size", ["terminal.resize"], {
    "command.run": (run, control, good) =>
      good.perform<"command.run">(isResize(run) ? { ...run, command: "true" } : run, control),
  }),
  {
    ...inTerminals("swallows control characters", ["terminal.interrupt"], {
      control: ({ input }) => ({ input: input?.pipeThrough(withoutControls()) }),
    }),
    hangs: true,
  },
  flawed("reports every terminal as ended well", ["terminal.exit-code", "terminal.interrupt"], {
    async "command.run"(run, control, good) {
      const outcome = await good.perform<"command.run">(run, control)
      return isTerminal(run) ? { ...outcome, exitCode: 0 } : outcome
    },
  }),
  inTerminals("takes output that nobody has room for", ["terminal.unread"], {
    control: ({ onOutput }) => ({ onOutput: (chunk) => void onOutput(chunk) }),
  }),
  flawed("leaves what runs in a terminal that is closed", ["terminal.close"], {
    "command.run": (run, control, good) => {
      if (!isTerminal(run)) return good.perform<"command.run">(run, control)
      const aborted = new Promise<void>((resolve) => {
        control.signal.addEventListener("abort", () => resolve())
      }).then(() => {
        const nothing = captured(noBytes)
        const ending = { kind: "aborted" } as const
        return { exitCode: 143, stdout: nothing, stderr: nothing, ending }
      })
      const left = good.perform<"command.run">(run, { ...control, signal: never })
      left.catch(() => {})
      return Promise.race([aborted, left])
    },
  }),
]

function isTerminal({ command }: CommandRun): boolean {
  return typeof command === "string" && command.includes("script -qfec")
}

function isResize({ command }: CommandRun): boolean {
  return typeof command === "string" && /\bstty rows \d+ cols \d+ <\/dev\S+$/.test(command)
}

function flawed(flaw: string, caughtBy: readonly string[], handlers: Handlers): BrokenHost {
  const breakHost = (good: Host) => alterSandboxes(good, () => handlers)
  return { flaw, caughtBy, base: "bubblewrap", breakHost }
}

interface Alteration {
  readonly run?: (run: CommandRun) => Partial<CommandRun>
  readonly control?: (control: OperationControl) => Partial<OperationControl>
}

/** Alters every command whose input comes while it runs. */
function inTerminals(
  flaw: string,
  caughtBy: readonly string[],
  { run: alterRun, control: alterControl }: Alteration,
): BrokenHost {
  return flawed(flaw, caughtBy, {
    "command.run": (run, control, good) =>
      control.input
        ? good.perform<"command.run">(
            { ...run, ...alterRun?.(run) },
            { ...control, ...alterControl?.(control) },
          )
        : good.perform<"command.run">(run, control),
  })
}

function whenEnded(input: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const collected: Uint8Array[] = []
  const collect = new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk) => void collected.push(chunk),
    flush: (controller) => {
      for (const chunk of collected) controller.enqueue(chunk)
    },
  })
  return input.pipeThrough(collect)
}

function withoutControls(): TransformStream<Uint8Array, Uint8Array> {
  return new TransformStream({
    transform: (chunk, controller) =>
      controller.enqueue(chunk.filter((byte) => byte >= 0x20 || byte === 0x0a)),
  })
}
