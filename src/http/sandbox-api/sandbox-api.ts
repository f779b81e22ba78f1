import { join } from "node:path"
import type { Clock } from "../../kit/index.ts"
import type { Toolkeep } from "../../session/index.ts"
import type { RecordStore } from "../../store/index.ts"
import type { Access } from "../access/authorize.ts"
import type { OwnSessions } from "../sessions/own-sessions.ts"
import { type ApiSandboxes, createApiSandboxes } from "./api-sandboxes.ts"
import type { BesideDeps } from "./call-beside.ts"
import type { ApiCommands } from "./command.ts"
import { createCommands } from "./commands.ts"
import { type ApiFiles, createFiles } from "./files.ts"
import { openStoredSandboxes } from "./stored-sandboxes.ts"

export interface SandboxApiDeps extends BesideDeps {
  readonly toolkeep: Toolkeep
  readonly sessions: OwnSessions
  readonly store: RecordStore
  readonly home: string
  readonly clock: Clock
  readonly access: Access
}

/** What the sandbox APIs of other products are served with: each of them only maps its protocol to this. */
export interface SandboxApi {
  readonly sandboxes: ApiSandboxes
  readonly commands: ApiCommands
  readonly files: ApiFiles
  readonly access: Access
  readonly clock: Clock
  readonly toolkeep: Toolkeep
  /** For calls beside those of commands and files: `callTool` and `callBeside`. */
  readonly beside: BesideDeps
  /** Tells of each sandbox that is gone. */
  readonly onGone: (listener: (id: string) => void) => void
}

export function createSandboxApi(deps: SandboxApiDeps): SandboxApi {
  const { toolkeep, home, clock, access } = deps
  const commands = createCommands(deps)
  const listeners = [commands.forget]
  const sandboxes = createApiSandboxes({
    ...deps,
    stored: openStoredSandboxes(join(home, "sandbox-api")),
    onGone(id) {
      for (const listener of listeners) listener(id)
    },
  })
  return {
    ...{ sandboxes, commands, files: createFiles(deps), access, clock, toolkeep, beside: deps },
    onGone: (listener) => void listeners.push(listener),
  }
}
