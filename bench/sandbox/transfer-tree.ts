import { execFileSync } from "node:child_process"
import { mkdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { createWorkspace, type Host, transfer } from "../../src/sandbox/index.ts"
import type { BenchRow } from "../harness/bench-row.ts"
import { median } from "../harness/measure.ts"

/** 1 GiB: a few large files, more of a middle size, many small ones. */
const makeTree = `set -e; mkdir -p "$0"; cd "$0"
head -c 16M /dev/urandom > /tmp/sample
for i in $(seq 50); do head -c 16M /tmp/sample > "large.$i"; done
for i in $(seq 15); do mkdir -p "middle.$i"; for j in $(seq 100); do head -c 100K /tmp/sample > "middle.$i/$j"; done; done
for i in $(seq 64); do mkdir -p "small.$i"; for j in $(seq 100); do head -c 12K /tmp/sample > "small.$i/$j"; done; done
rm /tmp/sample`

const rounds = 3
const sampleMs = 20

export async function transferTree(host: Host, directory: string): Promise<readonly BenchRow[]> {
  const [one, two] = [await host.create({ name: "one" }), await host.create({ name: "two" })]
  const [from, to] = [createWorkspace(one), createWorkspace(two)]
  const plain = join(directory, "plain")
  try {
    await from.exec(["bash", "-c", makeTree, "tree"])
    mkdirSync(plain)
    execFileSync("bash", ["-c", makeTree, join(plain, "tree")])
    const ratios: number[] = []
    let growth = 0
    for (let round = 0; round < rounds; round += 1) {
      const grown = watchMemory()
      const ours = await timed(() =>
        transfer(
          { sandbox: one, path: "tree" },
          { sandbox: two, path: "copy" },
          { recursive: true },
        ),
      )
      growth = Math.max(growth, grown())
      await to.remove("copy", { recursive: true })
      mkdirSync(join(plain, "copy"))
      const reference = await timed(async () =>
        execFileSync("bash", ["-c", "tar -C tree -cf - . | tar -C copy -xpf -"], { cwd: plain }),
      )
      rmSync(join(plain, "copy"), { recursive: true })
      ratios.push(reference / ours)
    }
    const what = "transfer of a 1 GiB tree of mixed files between two bubblewrap sandboxes"
    return [
      {
        id: "transfer-rate",
        what: `${what}, against \`tar | tar\` (ratio of rates)`,
        value: median(ratios),
        bar: 0.8,
        aim: 1,
        better: "higher",
      },
      {
        id: "transfer-memory",
        what: `${what}: growth of this process (MiB)`,
        value: growth,
        bar: 64,
        aim: 64,
        better: "lower",
      },
    ]
  } finally {
    await Promise.all([one.destroy(), two.destroy()])
    rmSync(plain, { recursive: true, force: true })
  }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now()
  await work()
  return performance.now() - started
}

/** The returned function says by how many MiB this process was larger at most, and stops watching. */
function watchMemory(): () => number {
  const before = process.memoryUsage().rss
  let most = before
  const timer = setInterval(() => {
    most = Math.max(most, process.memoryUsage().rss)
  }, sampleMs)
  return () => {
    clearInterval(timer)
    return (most - before) / 2 ** 20
  }
}
