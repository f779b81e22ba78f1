import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { onTestFinished } from "vitest"
import type { Workspace } from "../../src/contract/index.ts"
import { type DockerHostOptions, dockerHost } from "../../src/sandbox/hosts/docker/docker-host.ts"
import { createWorkspace, type Host, type Sandbox } from "../../src/sandbox/index.ts"
import { testBinds, testImage } from "./import-images.ts"
import { type RemoteEngine, startRemoteEngine } from "./start-remote-engine.ts"

/** An engine elsewhere, and hosts on it. */
export interface RemoteFixture extends AsyncDisposable {
  readonly engine: RemoteEngine
  options(other?: Partial<DockerHostOptions>): DockerHostOptions
  host(other?: Partial<DockerHostOptions>): Host
  /** A sandbox that goes with the test. */
  open(other?: Partial<DockerHostOptions>): Promise<{ sandbox: Sandbox; workspace: Workspace }>
}

export async function openRemote(): Promise<RemoteFixture> {
  const engine = await startRemoteEngine()
  const directory = await mkdtemp(join(tmpdir(), "toolkeep-remote-"))
  const options = (other: Partial<DockerHostOptions> = {}) => ({
    ...{ image: testImage, binds: testBinds, directory, address: engine.address },
    ...other,
  })
  const host = (other: Partial<DockerHostOptions> = {}) => dockerHost(options(other))
  return {
    engine,
    options,
    host,
    async open(other) {
      const sandbox = await host(other).create({ name: "test" })
      onTestFinished(() => sandbox.destroy())
      return { sandbox, workspace: createWorkspace(sandbox) }
    },
    async [Symbol.asyncDispose]() {
      await engine[Symbol.asyncDispose]()
      await rm(directory, { recursive: true, force: true })
    },
  }
}
