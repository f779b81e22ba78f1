import { mkdtemp, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, onTestFinished } from "vitest"
import { parse } from "yaml"
import { repositoryRoot } from "../../scripts/repository.ts"
import { runCommand } from "../checks/run-command.ts"

const suite = join(repositoryRoot, "node_modules/.bin/conformance")
const baseline = join(repositoryRoot, "test/mcp/conformance-baseline.yaml")

/** What is listed with a reason has to fail, and nothing else may. */
export const butForReasons = `--expected-failures '${baseline}'`

/** Every scenario that there is. */
export const everything = `--suite all ${butForReasons}`

export async function runConformance(
  given: string,
): Promise<{ readonly passes: boolean; readonly output: string }> {
  const cwd = await mkdtemp(join(tmpdir(), "toolkeep-conformance-"))
  onTestFinished(() => rm(cwd, { recursive: true }))
  const { exitCode, output } = await runCommand(`'${suite}' ${given}`, { cwd, timeoutMs: 200_000 })
  return { passes: exitCode === 0, output }
}

export interface Scenarios {
  readonly all: readonly string[]
  /** Those of the newer generation. */
  readonly newer: readonly string[]
}

/** The suite's scenarios of one side. The list of reasons may name no others. */
export async function knownScenarios(side: "server" | "client"): Promise<Scenarios> {
  const { output } = await runConformance(`list --${side}`)
  const listed = [...output.matchAll(/^ {2}- (\S+) \[(.*)\]/gm)]
  const all = listed.map(([, name = ""]) => name)
  const excused: readonly string[] = parse(await readFile(baseline, "utf8"))[side]
  const names = excused.map((one) => one.split(":")[0] ?? "")
  expect(names.filter((name) => !all.includes(name))).toEqual([])
  const newer = listed.filter(([, , versions]) => versions?.includes("2026-07-28"))
  return { all, newer: newer.map(([, name = ""]) => name) }
}

/** The scenarios that a run of the suite says something about. */
export function judged(output: string): readonly string[] {
  return [...output.matchAll(/^[✓✗] (\S+): \d+ passed/gm)].map(([, name = ""]) => name)
}
