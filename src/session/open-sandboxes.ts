import { join } from "node:path"
import { configLimits } from "../config/index.ts"
import { ToolFailure } from "../contract/index.ts"
import { makeDirectories } from "../node/index.ts"
import { claimDirectory, createPool, type Pool } from "../sandbox/index.ts"
import { type Artifacts, artifactDirectory } from "../store/index.ts"
import { networkBounds } from "../tools/index.ts"
import { directoryName } from "./directory-name.ts"
import { toolkeepHome } from "./open-host.ts"
import type { SessionDeps } from "./session-deps.ts"

/** Where a session works: its sandboxes, and the files that it made for a person. */
export interface OpenedSandboxes {
  readonly pool: Pool
  readonly artifacts: Artifacts
  close(): Promise<void>
  destroy(): Promise<void>
}

/** The sandboxes of a parent stay when a child ends. */
export function openSandboxes(deps: SessionDeps): OpenedSandboxes {
  const { host, sharedPool, clock, directory, network, settings = {} } = deps
  const { home = toolkeepHome() } = deps
  const pool =
    (sharedPool && { ...sharedPool, moveTo: refuseToMove }) ??
    createPool(host, {
      ...{ clock, directory, network, bounds: networkBounds(settings) },
      disk: {
        sessionBytes: deps.disk?.sessionBytes ?? configLimits.sessionDiskBytes,
        beside: () => artifacts.bytes(),
        home: deps.homeTotal,
      },
    })
  const artifactHome = join(home, "artifacts", directoryName(deps.name))
  const artifacts = artifactDirectory(artifactHome, {
    ...pool.disk,
    async requireRoom() {
      claimArtifacts(artifactHome)
      await pool.disk.requireRoom()
    },
  })
  return {
    pool,
    artifacts,
    close: async () => (sharedPool ? undefined : pool.close()),
    destroy: async () => (sharedPool ? undefined : pool.destroy()),
  }
}

async function refuseToMove(): Promise<never> {
  throw new ToolFailure({
    kind: "rejected",
    message: "The sandboxes are those of the session that this one works for, and stay with it.",
  })
}

/** While this process lives, what it has made for a person stays for the default time. */
function claimArtifacts(directory: string): void {
  makeDirectories(directory, 0o700)
  claimDirectory(directory)
}
