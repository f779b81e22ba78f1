import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { onTestFinished } from "vitest"
import type { Workspace } from "../../src/contract/index.ts"
import { type DockerHostOptions, dockerHost } from "../../src/sandbox/hosts/docker/docker-host.ts"
import { createWorkspace, type Host } from "../../src/sandbox/index.ts"
import { testBinds, testImage } from "./import-images.ts"
import { startEngine, type TestEngine } from "./start-engine.ts"

/** An engine, and hosts on it. */
export interface DockerFixture extends AsyncDisposable {
  readonly engine: TestEngine
  readonly directory: string
  options(other?: Partial<DockerHostOptions>): DockerHostOptions
  host(other?: Partial<DockerHostOptions>): Host
  /** Of a sandbox that goes with the test. */
  workspace(): Promise<Workspace>
  countContainers(): Promise<number>
}

/** Docker, unless something else is started. */
export async function openDocker(
  start: () => Promise<TestEngine> = startEngine,
): Promise<DockerFixture> {
  const engine = await start()
  const directory = await mkdtemp(join(tmpdir(), "toolkeep-docker-"))
  const { socketPath } = engine
  const options = (other: Partial<DockerHostOptions> = {}) => ({
    ...{ image: testImage, binds: testBinds, directory, socketPath },
    ...other,
  })
  const host = (other: Partial<DockerHostOptions> = {}) => dockerHost(options(other))
  return {
    engine,
    directory,
    options,
    host,
    async workspace() {
      const sandbox = await host().create({ name: "test" })
      onTestFinished(() => sandbox.destroy())
      return createWorkspace(sandbox)
    },
    countContainers: async () => (await engine.docker.listContainers({ all: true })).length,
    async [Symbol.asyncDispose]() {
      await engine[Symbol.asyncDispose]()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

/** Both streams of a command. */
export async function output(workspace: Workspace, command: string): Promise<string> {
  const { stdout, stderr } = await workspace.exec(command, { timeoutMs: 100_000 })
  return stdout + stderr
}
