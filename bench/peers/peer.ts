import { execFile } from "node:child_process"
import { promisify } from "node:util"

/** The names of two that others are compared with. */
export const reference = "no sandbox: a plain spawn"
export const subject = "Toolkeep"

/** Something that a user could pick to run commands in. Its command is always `true`, in a bash. */
export interface Peer extends AsyncDisposable {
  /** What keeps a command from the rest of the machine. */
  readonly wall: string
  /** Waits for what it makes before anybody asks for it. */
  ready?(): Promise<void>
  /** Creates one, and runs a command in it. */
  createAndRun(): Promise<Remove>
  /** Runs a command in one that exists; where none outlives its command, in a new one. */
  exec(): Promise<unknown>
  /** Creates one that stays. */
  hold(): Promise<Remove>
}

export type Remove = () => Promise<unknown>

export const runProgram = promisify(execFile)
