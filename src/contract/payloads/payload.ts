import type { CodeLanguage } from "../workspace/capabilities.ts"
import type {
  ExecOptions,
  KillOptions,
  MkdirOptions,
  ReaddirOptions,
  ReadOptions,
  RemoveOptions,
  StartOptions,
  WaitOptions,
  Workspace,
  WriteOptions,
} from "../workspace/workspace.ts"

export type DispatchOptions = Pick<ExecOptions, "signal" | "onOutput">

/** Does what a payload says. */
export type Dispatch = <Kind extends PayloadKind>(
  payload: Payload<Kind>,
  options?: DispatchOptions,
) => Promise<PayloadResults[Kind]>

type PayloadKind = keyof Answers

/** Something to do in a sandbox as plain data, which no model sees: it can be recorded, queued or sent. */
export type Payload<Kind extends PayloadKind = PayloadKind> = {
  [K in Kind]: { readonly kind: K } & Parameters<Answers[K]>[0]
}[Kind]

export type PayloadResults = {
  readonly [Kind in PayloadKind]: Awaited<ReturnType<Answers[Kind]>>
}

/** Payloads for a workspace: each is one of its methods as data. */
export function createDispatch(workspace: Workspace): Dispatch {
  return async (payload, options = {}) => {
    options.signal?.throwIfAborted()
    const answers: {
      readonly [Kind in PayloadKind]: (payload: Payload<Kind>) => Promise<PayloadResults[Kind]>
    } = answersOf(workspace, options)
    return answers[payload.kind](payload)
  }
}

type Answers = ReturnType<typeof answersOf>

type OnPath<Options = object> = Omit<Options, "signal"> & { readonly path: string }
type FromTo = OnPath<{ readonly to: string }>
type OnProcess<Options = object> = Omit<Options, "signal"> & { readonly id: string }
type Running = Omit<ExecOptions, "signal" | "onOutput">
type Command = { readonly command: string | readonly string[] }
type Code = { readonly language: CodeLanguage; readonly code: string }

/** The fields of each kind of payload, and the method that they are for. */
function answersOf(workspace: Workspace, options: DispatchOptions) {
  const { processes } = workspace
  return {
    "command.run": ({ command, ...rest }: Running & Command) =>
      workspace.exec(command, { ...rest, ...options }),
    "code.run": ({ language, code, ...rest }: Running & Code) =>
      workspace.runCode(language, code, { ...rest, ...options }),
    "file.read": ({ path, ...rest }: OnPath<ReadOptions>) =>
      workspace.readFileBuffer(path, { ...rest, ...options }),
    "file.write": ({
      path,
      data,
      ...rest
    }: OnPath<WriteOptions> & { readonly data: string | Uint8Array }) =>
      workspace.writeFile(path, data, { ...rest, ...options }),
    "file.stat": ({ path }: OnPath) => workspace.stat(path, options),
    "file.list": ({ path, ...rest }: OnPath<ReaddirOptions>) =>
      workspace.readdir(path, { ...rest, ...options }),
    "file.exists": ({ path }: OnPath) => workspace.exists(path, options),
    "file.mkdir": ({ path, ...rest }: OnPath<MkdirOptions>) =>
      workspace.mkdir(path, { ...rest, ...options }),
    "file.remove": ({ path, ...rest }: OnPath<RemoveOptions>) =>
      workspace.remove(path, { ...rest, ...options }),
    "file.rename": ({ path, to }: FromTo) => workspace.rename(path, to, options),
    "file.copy": ({ path, to }: FromTo) => workspace.copy(path, to, options),
    "process.start": ({ command, ...rest }: Omit<StartOptions, "signal"> & Command) =>
      processes.start(command, { ...rest, ...options }),
    "process.list": (_: object) => processes.list(),
    "process.status": ({ id }: OnProcess) => processes.status(id),
    "process.wait": ({ id, ...rest }: OnProcess<WaitOptions>) =>
      processes.wait(id, { ...rest, ...options }),
    "process.output": ({ id, ...rest }: OnProcess<ReadOptions>) =>
      processes.output(id, { ...rest, ...options }),
    "process.kill": ({ id, ...rest }: OnProcess<KillOptions>) =>
      processes.kill(id, { ...rest, ...options }),
  }
}
