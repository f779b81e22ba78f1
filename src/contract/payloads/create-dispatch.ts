import type { Workspace } from "../workspace/workspace.ts"
import type { Dispatch, DispatchOptions, Payload, PayloadKind, PayloadResults } from "./payload.ts"

type Answers = {
  readonly [Kind in PayloadKind]: (
    payload: Payload<Kind>,
    options: DispatchOptions,
  ) => Promise<PayloadResults[Kind]>
}

/** Payloads for a workspace: each is one of its methods as data. */
export function createDispatch(workspace: Workspace): Dispatch {
  const { processes } = workspace
  const answers: Answers = {
    "command.run": ({ command, ...rest }, options) =>
      workspace.exec(command, { ...rest, ...options }),
    "code.run": ({ language, code, ...rest }, options) =>
      workspace.runCode(language, code, { ...rest, ...options }),
    "file.read": ({ path, ...rest }, options) =>
      workspace.readFileBuffer(path, { ...rest, ...options }),
    "file.write": ({ path, data, ...rest }, options) =>
      workspace.writeFile(path, data, { ...rest, ...options }),
    "file.stat": ({ path }, options) => workspace.stat(path, options),
    "file.list": ({ path, ...rest }, options) => workspace.readdir(path, { ...rest, ...options }),
    "file.exists": ({ path }, options) => workspace.exists(path, options),
    "file.mkdir": ({ path, ...rest }, options) => workspace.mkdir(path, { ...rest, ...options }),
    "file.remove": ({ path, ...rest }, options) => workspace.remove(path, { ...rest, ...options }),
    "file.rename": ({ path, to }, options) => workspace.rename(path, to, options),
    "file.copy": ({ path, to }, options) => workspace.copy(path, to, options),
    "process.start": ({ command, ...rest }, options) =>
      processes.start(command, { ...rest, ...options }),
    "process.list": () => processes.list(),
    "process.status": ({ id }) => processes.status(id),
    "process.wait": ({ id, ...rest }, options) => processes.wait(id, { ...rest, ...options }),
    "process.output": ({ id, ...rest }, options) => processes.output(id, { ...rest, ...options }),
    "process.kill": ({ id, ...rest }, options) => processes.kill(id, { ...rest, ...options }),
  }
  return async (payload, options = {}) => {
    options.signal?.throwIfAborted()
    return answers[payload.kind](payload, options)
  }
}
