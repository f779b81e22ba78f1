import type {
  CapturedStream,
  CommandOutcome,
  CommandRun,
  Host,
  OperationControl,
} from "../../../src/sandbox/index.ts"
import { alterSandboxes } from "./broken-host.ts"

export const noBytes = new Uint8Array()

/** A host that runs another command than it was asked to. */
export function alterRuns(host: Host, alter: (run: CommandRun) => Partial<CommandRun>): Host {
  return alterSandboxes(host, () => ({
    "command.run": (run, control, good) =>
      good.perform<"command.run">({ ...run, ...alter(run) }, control),
  }))
}

/** A host that reports another outcome than there was. */
export function alterOutcomes(
  host: Host,
  alter: (outcome: CommandOutcome, run: CommandRun) => Partial<CommandOutcome>,
): Host {
  return alterSandboxes(host, () => ({
    "command.run": async (run, control, good) => {
      const outcome = await good.perform<"command.run">(run, control)
      return { ...outcome, ...alter(outcome, run) }
    },
  }))
}

export function alterControl(
  host: Host,
  alter: (control: OperationControl) => Partial<OperationControl>,
): Host {
  return alterSandboxes(host, () => ({
    "command.run": (run, control, good) =>
      good.perform<"command.run">(run, { ...control, ...alter(control) }),
  }))
}

/** Both streams changed in the same way. */
export function alterStreams(
  { stdout, stderr }: CommandOutcome,
  alter: (stream: CapturedStream) => CapturedStream,
): Pick<CommandOutcome, "stdout" | "stderr"> {
  return { stdout: alter(stdout), stderr: alter(stderr) }
}

export function captured(bytes: Uint8Array): CapturedStream {
  return { head: bytes, tail: noBytes, omitted: 0 }
}

export function bytesOf({ head, tail }: CapturedStream): Uint8Array {
  return Buffer.concat([head, tail])
}

export function asText(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes)
}

export function asBytes(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}
