import { spawn } from "node:child_process"
import { chmod, mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { apart } from "../test/cluster/apart.ts"
import { findKube } from "../test/cluster/find-kube.ts"
import type { BenchRow, BenchSuite } from "./harness/bench-row.ts"
import { dockerFrames } from "./sandbox/docker-frames.ts"

/** The figures of the kubernetes host, on the cluster of KUBECONFIG or on a local one; and those of the frames it shares with docker. */
export const suite: BenchSuite = async () => {
  const directory = await mkdtemp(join(tmpdir(), "toolkeep-bench-"))
  await chmod(directory, 0o755)
  try {
    return [...(await measureInside(directory)), ...(await dockerFrames(directory))]
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

/** In a process of its own, which has the cluster's network. */
async function measureInside(stored: string): Promise<readonly BenchRow[]> {
  const [program = "", ...words] = [...place(), process.execPath, inside, stored, kube()]
  const child = spawn(program, words, { stdio: ["ignore", "pipe", "inherit"] })
  const output = await text(child.stdout)
  if (output === "") throw new Error("The cluster could not be measured.")
  return JSON.parse(output)
}

const inside = join(import.meta.dirname, "cluster/inside.ts")
const place = () => (process.env.KUBECONFIG ? [] : apart)

function kube(): string {
  if (process.env.KUBECONFIG) return ""
  const found = findKube()
  if (found.kind === "missing") throw new Error(found.remedy)
  return found.path
}
