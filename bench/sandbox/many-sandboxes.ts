import type { Host } from "../../src/sandbox/index.ts"
import type { BenchRow } from "../harness/bench-row.ts"
import { type CurvePoint, measureCurve } from "./measure-curve.ts"

/** How memory, create and exec change with the number of sandboxes, of which a hundred are awake. */
export async function manySandboxes(host: Host): Promise<readonly BenchRow[]> {
  const [alone, awake, ...crowds] = await measureCurve(host)
  if (!alone || !awake) throw new Error("The curve has too few points.")
  return [
    ...timesOf(awake, alone),
    ...crowds.flatMap((crowd) => [memoryOf(crowd, awake), ...timesOf(crowd, alone)]),
  ]
}

function memoryOf(crowd: CurvePoint, awake: CurvePoint): BenchRow {
  return {
    id: `curve-memory-${crowd.sandboxes}`,
    what: `memory of ${described(crowd)}, against those ${awake.sandboxes} alone (ratio)`,
    value: crowd.bytes / awake.bytes,
    bar: 1.3,
    aim: 1.1,
    better: "lower",
  }
}

function timesOf(crowd: CurvePoint, alone: CurvePoint): readonly BenchRow[] {
  const row = (id: string, what: string, value: number) =>
    ({
      id: `curve-${id}-${crowd.sandboxes}`,
      what: `${what} beside ${described(crowd)}, against one (ratio)`,
      value,
      ...{ bar: 1.5, aim: 1.2 },
      better: "lower",
    }) as const
  return [
    row("create", "create to first command done", crowd.createMs / alone.createMs),
    row("exec", "exec", crowd.execMs / alone.execMs),
  ]
}

const described = ({ sandboxes, awake }: CurvePoint) =>
  `${sandboxes.toLocaleString("en")} sandboxes, ${awake} of them awake`
