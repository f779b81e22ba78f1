import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { repositoryRoot } from "../scripts/repository.ts"
import type { BenchRow, BenchSuite } from "./harness/bench-row.ts"
import { measurePeers, type PeerFigures, ratioOf, together } from "./peers/measure-peers.ts"
import { openPeers } from "./peers/open-peers.ts"
import { subject } from "./peers/peer.ts"
import {
  describeLoad,
  describeMachine,
  type SpeedFigures,
  speedPage,
  summaryOf,
  wallsOf,
} from "./peers/speed-page.ts"
import { curveOnNewHost } from "./sandbox/measure-curve.ts"

/** What else runs real programs behind a wall of the kernel. */
const others = ["bubblewrap itself", "sandbox-runtime", "docker's API", "podman run, podman exec"]

/** Toolkeep against what a user would pick instead on this machine, all in one run. */
export const suite: BenchSuite = async ({ write }) => {
  const load = describeLoad()
  await using opened = await openPeers()
  const { peers, missing } = opened
  for (const [name, reason] of missing) console.error(`not on this machine: ${name}: ${reason}`)
  const figures = await measurePeers(peers)
  if (write) {
    await writeSpeed({
      date: new Date().toISOString().slice(0, 10),
      machine: describeMachine(),
      load,
      walls: wallsOf(peers),
      figures,
      missing: [...missing.keys()],
      curve: await curveOnNewHost(),
    })
  }
  return rowsOf(figures)
}

function rowsOf(figures: ReadonlyMap<string, PeerFigures>): readonly BenchRow[] {
  const own = figures.get(subject)
  if (!own) throw new Error("Toolkeep does not start on this machine.")
  const row = (id: keyof PeerFigures, what: string, goals: { bar: number; aim: number }) => {
    const ratios = others.flatMap((name) => {
      const other = figures.get(name)
      return other ? [ratioOf(own, other, id)] : []
    })
    const value = Math.max(...ratios)
    return { id: `peers-${id}`, what, value, ...goals, better: "lower" } as const
  }
  const best = "against the best of bubblewrap itself, sandbox-runtime, docker and podman (ratio)"
  return [
    row("create", `create to first command done, ${best}`, { bar: 0.8, aim: 0.5 }),
    row("exec", "a command in a sandbox that exists, the same way", { bar: 0.4, aim: 0.2 }),
    row("together", `${together} commands at once, the same way`, { bar: 0.6, aim: 0.3 }),
    row("memory", "memory of one that waits, the same way", { bar: 2, aim: 1.2 }),
  ]
}

/** The page, and its first line in README.md. */
async function writeSpeed(speed: SpeedFigures): Promise<void> {
  await writeFile(join(repositoryRoot, "docs/speed.md"), speedPage(speed))
  const readme = join(repositoryRoot, "README.md")
  const text = await readFile(readme, "utf8")
  const line = `${summaryOf(speed.figures)} [More about speed](docs/speed.md)`
  await writeFile(
    readme,
    text.replace(/^.*\[More about speed\]\(docs\/speed\.md\)$/m, () => line),
  )
}
