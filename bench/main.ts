import { readdir } from "node:fs/promises"
import { parseArgs } from "node:util"
import { useTemporaryFiles } from "../scripts/temporary-files.ts"
import { type BenchRow, type BenchSuite, reaches } from "./harness/bench-row.ts"
import { rowsAsJson, rowsAsTable } from "./harness/print-rows.ts"

const files = await readdir(import.meta.dirname)
const suiteNames = files
  .filter((file) => file.endsWith(".ts") && file !== "main.ts")
  .map((file) => file.slice(0, -".ts".length))
  .sort()

function misuse(problem: string): never {
  const usage = `npm run bench -- [suite ...] [--json] [--write]   suites: ${suiteNames.join(", ") || "none"}`
  console.error(`${problem}\nusage: ${usage}`)
  process.exit(2)
}

function readArguments() {
  try {
    const options = { json: { type: "boolean" }, write: { type: "boolean" } } as const
    return parseArgs({ allowPositionals: true, options })
  } catch (error) {
    return misuse(String(error instanceof Error ? error.message : error))
  }
}

async function runSuite(name: string): Promise<readonly BenchRow[]> {
  const { suite }: { suite: BenchSuite } = await import(`./${name}.ts`)
  // `npm run bench -- peers --write` writes docs/speed.md.
  return suite({ write: values.write ?? false })
}

const { positionals, values } = readArguments()
for (const name of positionals) {
  if (!suiteNames.includes(name)) misuse(`There is no suite ${JSON.stringify(name)}.`)
}

useTemporaryFiles()
const rows: BenchRow[] = []
for (const name of positionals.length > 0 ? positionals : suiteNames) {
  // On stderr, so that --json leaves only the rows on stdout.
  console.error(`measuring: ${name}`)
  rows.push(...(await runSuite(name)))
}
console.log(values.json ? rowsAsJson(rows) : rowsAsTable(rows))
process.exitCode = rows.every((row) => reaches(row, "bar")) ? 0 : 1
