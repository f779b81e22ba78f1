import { sleep } from "../../src/kit/index.ts"
import type { Sandbox } from "../../src/sandbox/index.ts"
import type { BenchRow } from "../harness/bench-row.ts"

const printed = 1_000_000_000
const pauseMs = 2
const pauseBytes = 1024 ** 2

/** What a command prints waits in its pod, not in this process. */
export async function measureSlowReader(sandbox: Sandbox): Promise<BenchRow> {
  const before = process.memoryUsage.rss()
  let most = before
  let bytes = 0
  let paused = 0
  const { exitCode } = await sandbox.perform(
    {
      ...{ kind: "command.run", command: `head -c ${printed} /dev/zero`, cwd: "/", env: {} },
      ...{ stdin: new Uint8Array(), timeoutMs: null, idleTimeoutMs: null, maxOutputBytes: 1_000 },
    },
    {
      signal: new AbortController().signal,
      async onOutput(piece) {
        bytes += piece.bytes.length
        most = Math.max(most, process.memoryUsage.rss())
        if (bytes - paused < pauseBytes) return
        paused = bytes
        await sleep(pauseMs)
      },
    },
  )
  if (exitCode !== 0 || bytes !== printed) throw new Error(`${bytes} of ${printed} bytes came.`)
  return {
    id: "cluster-slow-reader",
    what: "memory growth while 1 GB is printed to a slow reader (MiB)",
    value: (most - before) / 2 ** 20,
    bar: 64,
    aim: 16,
    better: "lower",
  }
}
