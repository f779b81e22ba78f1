import type { Cluster } from "../../src/sandbox/hosts/kubernetes/cluster/cluster.ts"
import { createWorkspace, type Sandbox } from "../../src/sandbox/index.ts"
import type { BenchRow } from "../harness/bench-row.ts"
import { measureTimeRatio } from "../harness/measure.ts"

const together = 16
const outputBytes = 100_000_000

/** Commands through the kept stream, against an exec of the API server for each, in the same pod. */
export async function measureExec(sandbox: Sandbox, cluster: Cluster): Promise<BenchRow[]> {
  const workspace = createWorkspace(sandbox)
  const [found] = await cluster.podsLabelled("toolkeep.dev/sandbox")
  const pod = found?.metadata?.name ?? ""

  async function plain(script: string): Promise<number> {
    const command = ["bash", "-c", script]
    const { readable, ended, close } = await cluster.exec({ pod, container: "sandbox", command })
    let bytes = 0
    for await (const piece of readable) bytes += piece.length
    if ((await ended) !== 0) throw new Error(`A plain exec of ${script} failed.`)
    close()
    return bytes
  }
  async function kept(script: string): Promise<number> {
    let bytes = 0
    const onOutput = (piece: { readonly bytes: Uint8Array }) => {
      bytes += piece.bytes.length
    }
    const { exitCode } = await workspace.exec(script, { onOutput, timeoutMs: 600_000 })
    if (exitCode !== 0) throw new Error(`${script} failed.`)
    return bytes
  }
  const atOnce = (work: () => Promise<unknown>) =>
    Promise.all(Array.from({ length: together }, work))
  const whole = async (print: (script: string) => Promise<number>) => {
    const bytes = await print(`head -c ${outputBytes} /dev/zero`)
    if (bytes !== outputBytes) throw new Error(`${bytes} of ${outputBytes} bytes came.`)
  }

  return [
    {
      id: "cluster-exec",
      what: "`true` in a pod through the kept stream, against a plain exec of the API server (ratio)",
      value: await measureTimeRatio(
        () => kept("true"),
        () => plain("true"),
      ),
      bar: 0.15,
      aim: 0.04,
      better: "lower",
    },
    {
      id: "cluster-together",
      what: `${together} commands at once in a pod, against ${together} plain execs (ratio)`,
      value: await measureTimeRatio(
        () => atOnce(() => kept("true")),
        () => atOnce(() => plain("true")),
        { rounds: 7 },
      ),
      bar: 0.15,
      aim: 0.06,
      better: "lower",
    },
    {
      id: "cluster-output",
      what: "100 MB of output of a pod, against the same by a plain exec (ratio)",
      value: await measureTimeRatio(
        () => whole(kept),
        () => whole(plain),
        { rounds: 5 },
      ),
      bar: 1.5,
      aim: 1.1,
      better: "lower",
    },
  ]
}
