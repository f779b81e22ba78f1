import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { closeSync, openSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { sleep } from "../../../src/kit/index.ts"

/** A program of a cluster that runs. */
export interface Part {
  readonly name: string
  stop(): Promise<void>
}

interface PartOptions {
  readonly name: string
  readonly program: string
  readonly options: readonly string[]
  /** Where it writes what it has to say. */
  readonly directory: string
}

export function startPart({ name, program, options, directory }: PartOptions): Part {
  const log = join(directory, `${name}.log`)
  const output = openSync(log, "a")
  const child = spawn(program, options, { stdio: ["ignore", output, output], cwd: directory })
  closeSync(output)
  const ended = once(child, "exit").catch(() => {})
  child.once("error", (error) => console.error(`${program} can't be started: ${error.message}`))
  child.once("exit", (code) => {
    if (code) console.error(`${name} ended: ${readFileSync(log, "utf8").slice(-1_000)}`)
  })
  return {
    name,
    async stop() {
      child.kill("SIGKILL")
      await ended
    },
  }
}

/** A command that has to succeed. */
export function run(program: string, ...words: string[]): string {
  const { status, stdout, stderr, error } = spawnSync(program, words, { maxBuffer: 2 ** 28 })
  if (status === 0) return stdout.toString()
  const remedy = error ? "; sh scripts/setup.sh --cluster installs it" : ""
  throw new Error(`${program} ${words.join(" ")}: ${error ?? stderr}${remedy}`)
}

const waitMs = 90_000
const pauseMs = 100

/** What comes at all comes soon. */
export async function eventually(what: string, look: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + waitMs
  while (!(await look())) {
    if (performance.now() > deadline) throw new Error(`${what} did not become ready.`)
    await sleep(pauseMs)
  }
}
