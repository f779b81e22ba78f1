import { createReadStream } from "node:fs"
import { pipeline } from "node:stream/promises"
import { ToolFailure } from "../../../../contract/index.ts"
import { type Clock, sleep } from "../../../../kit/index.ts"
import { UnfitImage } from "../../../agent/commands/require-programs.ts"
import { wordFile } from "../../../agent/frames/keeper-program.ts"
import { kubernetesLimits } from "../../../limits.ts"
import { injectedPaths } from "../../../programs/inject-programs.ts"
import { injectedDirectory, injectedNode } from "../../../programs/injected-node.ts"
import { type PackedDirectory, wholeMark } from "../../../programs/pack-directory.ts"
import type { Cluster } from "../cluster/cluster.ts"
import { ClusterRefusal, clusterFailure } from "../cluster/cluster-failure.ts"
import type { ExecConnection } from "../cluster/exec-connection.ts"
import { containers } from "./pod-settings.ts"

export interface LoadOptions {
  readonly cluster: Cluster
  readonly clock: Clock
  readonly pod: string
  readonly image: string
  /** Toolkeep's own programs; null where the keeper's image has them. */
  readonly programs: PackedDirectory | null
  /** What the image lacks. */
  readonly lent: PackedDirectory | null
  readonly signal: AbortSignal
}

/** Puts programs into the volumes of a pod, over its keeper's container, as soon as that runs. Then the sandbox's starts. */
export async function loadPrograms(options: LoadOptions): Promise<void> {
  const { programs, lent } = options
  if (lent) await unpack(lent, injectedPaths.inside, options)
  if (programs) await unpack(programs, injectedDirectory, options)
  const whole = `until [ -x ${injectedNode} ]; do sleep 0.1 || exit 1; done; : >${injectedDirectory}/${wholeMark}`
  const { ended } = await whenRunning(["/bin/sh", "-c", whole], options)
  await ended
}

/** What the agent said first, which may be what its image lacks. */
export async function firstWord(options: LoadOptions): Promise<string> {
  const said = `until [ -s ${wordFile} ]; do sleep 0.1 || exit 1; done; head -c 500 ${wordFile}`
  const { readable } = await whenRunning(["/bin/sh", "-c", said], options)
  const pieces: Buffer[] = []
  for await (const piece of readable) pieces.push(piece)
  return Buffer.concat(pieces).toString().trim()
}

async function unpack(
  { path, bytes }: PackedDirectory,
  target: string,
  options: LoadOptions,
): Promise<void> {
  // Counted: the older protocol can't say that an input has ended.
  const script = `head -c ${bytes} | tar -x -C ${target}`
  const connection = await whenRunning(["/bin/sh", "-c", script], options)
  const sent = pipeline(createReadStream(path), connection.writable).catch(() => {})
  const code = await connection.ended
  connection.close()
  await sent
  if (code === 0) return
  options.signal.throwIfAborted()
  throw new UnfitImage(
    options.image,
    `Programs could not be unpacked in it (${connection.complaint() || "the connection was lost"}); it needs head and tar.`,
    { hasBash: true },
  )
}

/** A container that is being started can't be asked yet. */
async function whenRunning(
  command: readonly string[],
  { cluster, pod, signal, clock }: LoadOptions,
): Promise<ExecConnection> {
  for (;;) {
    signal.throwIfAborted()
    try {
      const target = { pod, container: containers.keeper, command }
      const connection = await cluster.exec(target)
      signal.addEventListener("abort", connection.close)
      return connection
    } catch (error) {
      if (error instanceof ToolFailure) throw error
      const isRefused = error instanceof ClusterRefusal && [401, 403].includes(error.status)
      if (isRefused) throw clusterFailure(error, cluster.shown)
    }
    await sleep(kubernetesLimits.retryMs, { signal, clock }).catch(() => {})
  }
}
