import { join } from "node:path"
import type { Container } from "dockerode"
import { createWorkspace, dockerHost } from "../../src/sandbox/index.ts"
import { testBinds, testImage } from "../../test/engine/import-images.ts"
import { startEngine } from "../../test/engine/start-engine.ts"
import type { BenchRow } from "../harness/bench-row.ts"
import { measureTimeRatio } from "../harness/measure.ts"

/** On an engine of its own, as the tests use it. */
export async function dockerExec(directory: string): Promise<readonly BenchRow[]> {
  await using engine = await startEngine()
  const { socketPath, docker } = engine
  const host = dockerHost({
    image: testImage,
    binds: testBinds,
    directory: join(directory, "docker"),
    socketPath,
  })
  const sandbox = await host.create({ name: "bench" })
  const plain = await docker.createContainer({
    Image: testImage,
    Cmd: ["/bin/bash", "-c", "while :; do sleep 1000; done"],
    HostConfig: { NetworkMode: "none", Binds: [...testBinds] },
  })
  try {
    await plain.start()
    const workspace = createWorkspace(sandbox)
    const value = await measureTimeRatio(
      () => workspace.exec("true"),
      () => plainExec(plain),
    )
    return [
      {
        id: "docker-exec",
        what: "docker exec of `true`, warm, against dockerode's plain exec (ratio)",
        value,
        bar: 0.05,
        aim: 0.04,
        better: "lower",
      },
    ]
  } finally {
    await plain.remove({ force: true })
    await sandbox.destroy()
  }
}

/** A command in a container, as a program runs it that talks to the engine itself. */
export async function plainExec(container: Container): Promise<void> {
  const exec = await container.exec({
    Cmd: ["bash", "-c", "true"],
    AttachStdout: true,
    AttachStderr: true,
  })
  const stream = await exec.start({})
  stream.resume()
  await new Promise((resolve) => stream.once("end", resolve))
  const { ExitCode } = await exec.inspect()
  if (ExitCode !== 0) throw new Error(`docker's true exited with ${ExitCode}.`)
}
