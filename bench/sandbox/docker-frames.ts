import { join } from "node:path"
import { createWorkspace, dockerHost } from "../../src/sandbox/index.ts"
import { testBinds, testImage } from "../../test/engine/import-images.ts"
import { startEngine } from "../../test/engine/start-engine.ts"
import { startRemoteEngine } from "../../test/engine/start-remote-engine.ts"
import type { BenchRow } from "../harness/bench-row.ts"
import { measureTimeRatio } from "../harness/measure.ts"

/** An engine that has other files, over TCP, against one that shares this machine's. */
export async function dockerFrames(directory: string): Promise<readonly BenchRow[]> {
  await using here = await startEngine()
  await using elsewhere = await startRemoteEngine()
  const options = { image: testImage, binds: testBinds }
  const { socketPath } = here
  const { address } = elsewhere
  const hosts = [
    dockerHost({ ...options, directory: join(directory, "frames"), address }),
    dockerHost({ ...options, directory: join(directory, "pipes"), socketPath }),
  ] as const
  const sandboxes = await Promise.all(hosts.map((host) => host.create({ name: "bench" })))
  try {
    const [overFrames, overPipes] = sandboxes.map((sandbox) => createWorkspace(sandbox))
    const value = await measureTimeRatio(
      async () => overFrames?.exec("true"),
      async () => overPipes?.exec("true"),
    )
    return [
      {
        id: "docker-frames",
        what: "docker exec of `true` over frames, warm, against the same over pipes (ratio)",
        value,
        bar: 2,
        aim: 1.3,
        better: "lower",
      },
    ]
  } finally {
    for (const sandbox of sandboxes) await sandbox.destroy()
  }
}
