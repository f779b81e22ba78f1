import type { CodeLanguage } from "../workspace/capabilities.ts"
import type {
  DirectoryEntry,
  ExecOptions,
  ExecResult,
  FileStat,
  KillOptions,
  MkdirOptions,
  ProcessOutput,
  ProcessStatus,
  ReaddirOptions,
  ReadOptions,
  RemoveOptions,
  StartOptions,
  WaitOptions,
  Workspace,
  WriteOptions,
} from "../workspace/workspace.ts"

type Fields<Options> = Omit<Options, "signal" | "onOutput">

interface PathField {
  readonly path: string
}

interface ProcessField {
  readonly id: string
}

interface PayloadFields {
  readonly "command.run": Fields<ExecOptions> & { readonly command: string | readonly string[] }
  readonly "code.run": Fields<ExecOptions> & {
    readonly language: CodeLanguage
    readonly code: string
  }
  readonly "file.read": PathField & Fields<ReadOptions>
  readonly "file.write": PathField & Fields<WriteOptions> & { readonly data: string | Uint8Array }
  readonly "file.stat": PathField
  readonly "file.list": PathField & Fields<ReaddirOptions>
  readonly "file.exists": PathField
  readonly "file.mkdir": PathField & Fields<MkdirOptions>
  readonly "file.remove": PathField & Fields<RemoveOptions>
  readonly "file.rename": PathField & { readonly to: string }
  readonly "file.copy": PathField & { readonly to: string }
  readonly "process.start": Fields<StartOptions> & {
    readonly command: string | readonly string[]
  }
  readonly "process.list": object
  readonly "process.status": ProcessField
  readonly "process.wait": ProcessField & Fields<WaitOptions>
  readonly "process.output": ProcessField & Fields<ReadOptions>
  readonly "process.kill": ProcessField & Fields<KillOptions>
}

export type PayloadKind = keyof PayloadFields

/** Something to do in a sandbox as plain data, which no model sees: it can be recorded, queued or sent. */
export type Payload<Kind extends PayloadKind = PayloadKind> = {
  [K in Kind]: { readonly kind: K } & PayloadFields[K]
}[Kind]

/** Nothing to tell but that it is done. */
type Done = Awaited<ReturnType<Workspace["writeFile"]>>

export interface PayloadResults {
  readonly "command.run": ExecResult
  readonly "code.run": ExecResult
  readonly "file.read": Uint8Array
  readonly "file.write": Done
  readonly "file.stat": FileStat
  readonly "file.list": readonly DirectoryEntry[]
  readonly "file.exists": boolean
  readonly "file.mkdir": Done
  readonly "file.remove": Done
  readonly "file.rename": Done
  readonly "file.copy": Done
  readonly "process.start": ProcessStatus
  readonly "process.list": readonly ProcessStatus[]
  readonly "process.status": ProcessStatus
  readonly "process.wait": ProcessStatus
  readonly "process.output": ProcessOutput
  readonly "process.kill": ProcessStatus
}

export type DispatchOptions = Pick<ExecOptions, "signal" | "onOutput">

/** Does what a payload says. */
export type Dispatch = <Kind extends PayloadKind>(
  payload: Payload<Kind>,
  options?: DispatchOptions,
) => Promise<PayloadResults[Kind]>
