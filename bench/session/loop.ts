import { execFile } from "node:child_process"
import { join } from "node:path"
import { promisify } from "node:util"
import type { BenchRow } from "../harness/bench-row.ts"
import { measureTimeRatio, median } from "../harness/measure.ts"
import { recordedLoop, referenceLoop } from "./loops.ts"

const run = promisify(execFile)

const size = { rounds: 200, calls: 5 }
const who = `${size.rounds} scripted rounds of ${size.calls} calls, recorded, against the AI SDK's ToolLoopAgent`

/** The whole loop, recorded, against one that records nothing. */
export async function loop(directory: string): Promise<readonly BenchRow[]> {
  await using ours = await recordedLoop(directory)
  const time = await measureTimeRatio(
    () => ours(size),
    () => referenceLoop(size),
    { rounds: 15 },
  )
  return [
    { id: "session-loop", what: `${who}: time`, value: time, bar: 0.5, aim: 0.25, better: "lower" },
    {
      id: "session-loop-memory",
      what: "the same: growth of the heap",
      value: (await growthOf("recorded", directory)) / (await growthOf("reference", directory)),
      bar: 0.5,
      aim: 0.25,
      better: "lower",
    },
  ]
}

/** What a loop holds at its end, in a process of its own: the median of three. */
async function growthOf(which: string, directory: string): Promise<number> {
  const file = join(import.meta.dirname, "measure-heap.ts")
  const args = ["--expose-gc", file, which, directory, JSON.stringify(size)]
  const growths: number[] = []
  for (let count = 0; count < 3; count += 1) {
    const { stdout } = await run(process.execPath, args)
    growths.push(Number(stdout))
  }
  return median(growths)
}
