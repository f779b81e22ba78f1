import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import type { PeerFigures } from "../../bench/peers/measure-peers.ts"
import { reference, subject } from "../../bench/peers/peer.ts"
import { describeMachine, speedPage, summaryOf } from "../../bench/peers/speed-page.ts"
import { repositoryRoot } from "../../scripts/repository.ts"

const read = (file: string) => readFileSync(join(repositoryRoot, file), "utf8")

const figures = (create: number, exec: number): PeerFigures => ({
  create: [create, create, create],
  // The machine was busy in one round, for all of them.
  exec: [exec, exec, exec * 10],
  together: [exec * 40],
  memory: [1_500_000, 1_400_000, 9_000_000],
})

const measured = new Map([
  [subject, figures(2, 1)],
  [reference, figures(3, 4)],
  ["docker run, docker exec", figures(300, 80)],
])

it("the page of speed is what was measured, with those that did not start", () => {
  const page = speedPage({
    date: "2026-11-18",
    machine: "2 cores",
    load: "load average 0.1",
    walls: new Map([[subject, "namespaces"]]),
    figures: measured,
    missing: ["gVisor in docker"],
    curve: [{ sandboxes: 5_000, awake: 100, bytes: 2e8, createMs: 9.123, execMs: 1 }],
  })
  expect(page.split("\n")).toEqual(
    expect.arrayContaining([
      summaryOf(measured),
      "| **Toolkeep** | namespaces | 2 (0.67) | 1 (0.25) | 40 (0.25) | 1.5 |",
      "| no sandbox: a plain spawn |  | 3 (1) | 4 (1) | 160 (1) | 1.5 |",
      "| docker run, docker exec |  | 300 (100) | 80 (20) | 3,200 (20) | 1.5 |",
      "| gVisor in docker | not on this machine |  |  |  |  |",
      "| 5,000 | 100 | 200 | 9.1 | 1 |",
    ]),
  )
  expect(summaryOf(measured)).toMatch(/0\.67 .* 0\.25 \(docker run, docker exec 100 and 20\)/)
})

it("README.md shows the first line of the page of speed", () => {
  const [, , first = ""] = read("docs/speed.md").split("\n")
  expect(first).toContain("bash -c true")
  expect(read("README.md")).toContain(`${first} [More about speed](docs/speed.md)`)
})

it("the page of speed says what the machine is, and not which one", () => {
  const machine = /\d+ cores, \d+ GiB of memory, Linux \d+\.\d+/
  expect(describeMachine()).toMatch(new RegExp(`^${machine.source}$`))
  expect(read("docs/speed.md")).toMatch(
    new RegExp(`with ${machine.source}; .* load average \\d+\\.\\d\\. `),
  )
})
