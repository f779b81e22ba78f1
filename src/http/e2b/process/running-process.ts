import { errorText } from "../../../kit/index.ts"
import type { Broadcast } from "../broadcast.ts"
import type { EndEvent, ProcessEvent } from "./process-messages.ts"

/** What a client has started, as it was asked for. */
export interface ProcessConfig {
  readonly cmd: string
  readonly args?: readonly string[]
  readonly envs?: Readonly<Record<string, string>>
  readonly cwd?: string
}

export type ProcessSignal = "SIGTERM" | "SIGKILL"

/** A command or a terminal that runs, with or without listeners. */
export interface RunningProcess {
  readonly pid: number
  readonly config: ProcessConfig
  readonly tag?: string | undefined
  readonly events: Broadcast<ProcessEvent>
  /** Null for one without an input. */
  readonly input: ProcessInput | null
  /** Null for one without a terminal. */
  readonly resize: ((columns: number, rows: number) => Promise<void>) | null
  readonly signal: (signal: ProcessSignal) => Promise<void>
}

export interface ProcessInput {
  /** Which of the two a client has to name. */
  readonly kind: "stdin" | "pty"
  write(bytes: Uint8Array): Promise<void>
  /** The process finds the end of its input. */
  end(): Promise<void>
}

/** As Go tells the end of a process, which is what E2B's clients know. */
export function exited(exitCode: number): EndEvent {
  const status = `exit status ${exitCode}`
  return { exitCode, exited: true, status, ...(exitCode !== 0 && { error: status }) }
}

const signalWords: Readonly<Record<ProcessSignal, string>> = {
  SIGTERM: "signal: terminated",
  SIGKILL: "signal: killed",
}

export function killed(signal: ProcessSignal, error?: string): EndEvent {
  const status = signalWords[signal]
  return { exitCode: -1, exited: false, status, error: error ?? status }
}

/** The last event of a process comes when its call is recorded. */
export function tellEnd(
  events: Broadcast<ProcessEvent>,
  recorded: Promise<unknown>,
  endOf: () => EndEvent | null,
): void {
  const tell = (end: EndEvent) => {
    void events.send({ end }, 0)
    events.end()
  }
  recorded.then(
    () => tell(endOf() ?? killed("SIGKILL")),
    (error: unknown) => tell(killed("SIGKILL", errorText(error))),
  )
}
