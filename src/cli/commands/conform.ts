import { resolve } from "node:path"
import { pathToFileURL } from "node:url"
import { isObject } from "../../contract/index.ts"
import { errorText } from "../../kit/index.ts"
import type { Host } from "../../sandbox/index.ts"
import { type ConformanceResult, runConformance } from "../../testing/index.ts"
import { createScratch, openNamedHost, saveReport } from "../conform/prove-host.ts"
import { type Arguments, type CommandRun, UsageError } from "../flags/command.ts"
import type { Terminal } from "../output/terminal.ts"

/** `toolkeep conform`. */
export const conform: CommandRun = async (given, terminal) => {
  await using scratch = await createScratch()
  const host = await chooseHost(given, scratch.directory)
  const report = await runConformance(host, {
    only: given.text("only")?.split(","),
    onResult: (result) => {
      if (terminal.forPeople) void terminal.print(`${describe(result, terminal)}\n`)
    },
  })
  // What was proved of a part, or of somebody's own host, says nothing about the whole.
  if (given.positionals.length === 0 && given.text("only") === undefined) await saveReport(report)
  const broken = report.checks.filter(({ kept }) => kept === false)
  if (terminal.forPeople) await terminal.print(`${summary(host, report.checks)}\n`)
  else await terminal.printJson(report, 2)
  return broken.length === 0 ? 0 : 1
}

async function chooseHost(given: Arguments, scratch: string): Promise<Host> {
  const [file] = given.positionals
  const name = given.text("host")
  if (file !== undefined && name !== undefined) {
    throw new UsageError("conform tests one host: give a file or --host, not both.")
  }
  if (file !== undefined) return loadHost(file)
  return openNamedHost(name ?? "auto", scratch)
}

/** A module that exports `host`: a host, or a function that makes one. */
async function loadHost(file: string): Promise<Host> {
  const module: unknown = await import(pathToFileURL(resolve(file)).href).catch(
    (error: unknown) => {
      throw new UsageError(`${file} can't be loaded: ${errorText(error)}`)
    },
  )
  const exported = isObject(module) || typeof module === "object" ? Object(module).host : undefined
  const host: unknown = typeof exported === "function" ? await exported() : exported
  if (isObject(host) && typeof host.create === "function" && isObject(host.can)) {
    return host as unknown as Host
  }
  throw new UsageError(`${file} has no export "host" that is a host or makes one.`)
}

function describe({ id, promise, kept, how }: ConformanceResult, terminal: Terminal): string {
  const mark =
    kept === null
      ? terminal.style("dim", "not promised")
      : kept
        ? terminal.style("green", "kept")
        : terminal.style("red", "BROKEN")
  return `${mark}  ${terminal.style("bold", id)}  ${promise}\n      ${terminal.style("dim", how)}`
}

function summary(host: Host, checks: readonly ConformanceResult[]): string {
  const count = (wanted: boolean | null) => checks.filter(({ kept }) => kept === wanted).length
  return `${host.name}: ${count(true)} kept, ${count(false)} broken, ${count(null)} not promised`
}
