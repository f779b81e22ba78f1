import type { CodeLanguage, ProcessOutput, ProcessStatus } from "../../contract/index.ts"
import type { CommandRun, Operation, OperationResults } from "../host/operation.ts"

/**
 * Everything that can be asked of a sandbox, as plain data that no model sees: what its host does
 * itself, and what is made of that in the same way on every host.
 */
export type Payload =
  | Operation
  | CodeRun
  | ProcessStart
  | { readonly kind: "file.exists"; readonly path: string }
  | { readonly kind: "process.list" }
  | { readonly kind: "process.status"; readonly id: string }
  | { readonly kind: "process.wait"; readonly id: string; readonly timeoutMs: number | null }
  | ProcessRead
  | { readonly kind: "process.kill"; readonly id: string; readonly graceMs: number }

export interface CodeRun extends Omit<CommandRun, "kind" | "command"> {
  readonly kind: "code.run"
  readonly language: CodeLanguage
  readonly code: string
}

export interface ProcessStart extends Pick<CommandRun, "command" | "cwd" | "env" | "stdin"> {
  readonly kind: "process.start"
}

export interface ProcessRead {
  readonly kind: "process.output"
  readonly id: string
  readonly offset: number
  readonly length: number | null
}

export interface PayloadResults extends OperationResults {
  readonly "code.run": OperationResults["command.run"]
  readonly "file.exists": boolean
  readonly "process.start": ProcessStatus
  readonly "process.list": readonly ProcessStatus[]
  readonly "process.status": ProcessStatus
  readonly "process.wait": ProcessStatus
  readonly "process.output": ProcessOutput
  readonly "process.kill": ProcessStatus
}
