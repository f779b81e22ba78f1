import { cpus, loadavg, release, totalmem } from "node:os"
import { median } from "../harness/measure.ts"
import type { CurvePoint } from "../sandbox/measure-curve.ts"
import { type PeerFigures, ratioOf, together } from "./measure-peers.ts"
import { type Peer, reference, subject } from "./peer.ts"

export interface SpeedFigures {
  readonly date: string
  readonly machine: string
  readonly load: string
  readonly walls: ReadonlyMap<string, string>
  readonly figures: ReadonlyMap<string, PeerFigures>
  readonly missing: readonly string[]
  readonly curve: readonly CurvePoint[]
}

/** This machine, without what names it. */
export function describeMachine(): string {
  const kernel = /^\d+\.\d+/.exec(release())?.[0] ?? "?"
  const gibibytes = Math.round(totalmem() / 2 ** 30)
  return `${cpus().length} cores, ${gibibytes} GiB of memory, Linux ${kernel}`
}

/** How busy others keep the machine, before anything is measured. */
export function describeLoad(): string {
  return `load average ${(loadavg()[0] ?? 0).toFixed(1)}`
}

/** What README.md says too. */
export function summaryOf(figures: SpeedFigures["figures"]): string {
  const of = (name: string, figure: keyof PeerFigures) =>
    short(ratioOf(figuresOf(figures, name), figuresOf(figures, reference), figure))
  const others = ["sandbox-runtime", "docker run, docker exec"].filter((name) => figures.has(name))
  const compared = others.map((name) => `${name} ${of(name, "create")} and ${of(name, "exec")}`)
  const what = "a plain `bash -c true` outside any sandbox"
  return `Against ${what}, a new sandbox with its first command takes ${of(subject, "create")} of the time, and a command in a sandbox that exists ${of(subject, "exec")} (${compared.join("; ")}).`
}

/** docs/speed.md. */
export function speedPage(speed: SpeedFigures): string {
  const { figures, walls, missing, curve } = speed
  const rows = [...figures].map(([name, own]) => {
    const times = (["create", "exec", "together"] as const).map((figure) => {
      const ratio = ratioOf(own, figuresOf(figures, reference), figure)
      return `${short(median(own[figure]))} (${short(ratio)})`
    })
    const shown = name === subject ? `**${name}**` : name
    return [shown, walls.get(name) ?? "", ...times, megabytes(median(own.memory))]
  })
  const absent = missing.map((name) => [name, "not on this machine", "", "", "", ""])
  const columns = [
    ...["", "between a command and the machine", "create → first command, ms"],
    ...["command, ms", `${together} at once, ms`, "memory of one, MB"],
  ]
  const points = curve.map((point) => [
    ...[point.sandboxes.toLocaleString("en"), String(point.awake)],
    ...[megabytes(point.bytes), short(point.createMs), short(point.execMs)],
  ])
  return `# Speed

${summaryOf(figures)}

Measured on ${speed.date} with ${speed.machine}; at its start, the machine had a ${speed.load}. \`npm run bench -- peers --write\` measures it again and writes this page.

## Compared with what else runs here

${table(columns, [...rows, ...absent])}

- All of them take turns in each round. A figure is the median of its rounds; in brackets, as a multiple of the plain spawn of the same
  round.
- The command is \`true\` in a bash, started by a program in Node. None has a network.
- **create → first command**: a new sandbox, until its first command is done. Servers and \`openToolkeep({ warm })\` have a few made
  ahead while nothing runs.
- **command**: in a sandbox that exists. bubblewrap itself and sandbox-runtime create one for each command.
- **memory**: what the machine has less, for each of twenty that wait. bubblewrap itself, sandbox-runtime and containers wait in a
  \`sleep\`.

## Many sandboxes

Sandboxes that sleep have files and no process.

${table(["sandboxes", "awake", "memory, MB", "create → first command, ms", "command, ms"], points)}
`
}

export function wallsOf(peers: ReadonlyMap<string, Peer>): ReadonlyMap<string, string> {
  return new Map([...peers].map(([name, { wall }]) => [name, wall]))
}

function figuresOf(figures: SpeedFigures["figures"], name: string): PeerFigures {
  const found = figures.get(name)
  if (!found) throw new Error(`${name} was not measured.`)
  return found
}

function table(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`
  const rule = `|${columns.map((_, column) => (column < 2 ? "---" : "--:")).join("|")}|`
  return [line(columns), rule, ...rows.map(line)].join("\n")
}

function short(value: number): string {
  const digits = value < 10 ? Number(value.toPrecision(2)) : Math.round(value)
  return digits.toLocaleString("en")
}

/** What others did meanwhile can hide it. */
const megabytes = (bytes: number) => (bytes > 0 ? short(bytes / 1e6) : "–")
