import { type Cleaned, cleanHome, toolkeepHome } from "../../session/index.ts"
import { type CommandRun, UsageError } from "../flags/command.ts"

/** `toolkeep clean`. */
export const clean: CommandRun = async (given, terminal) => {
  const home = toolkeepHome()
  const dryRun = given.is("dry-run")
  const olderThanMs = readAge(given.text("older-than"))
  const { removed, failed } = await cleanHome({ home, dryRun, olderThanMs })
  const bytes = removed.reduce((sum, one) => sum + one.bytes, 0)
  if (!terminal.forPeople) {
    await terminal.printJson({ home, dryRun, bytes, removed, failed }, 2)
    return failed.length === 0 ? 0 : 1
  }
  const done = dryRun ? "Would free" : "Freed"
  const lines = [
    ...summary(removed),
    `${done} ${megabytes(bytes)} in ${home}.`,
    ...failed.map(({ path, reason }) => `${path} could not be removed: ${reason}`),
  ]
  await terminal.print(`${lines.join("\n")}\n`)
  return failed.length === 0 ? 0 : 1
}

function summary(removed: readonly Cleaned[]): readonly string[] {
  const kinds = [...new Set(removed.map(({ kind }) => kind))]
  return kinds.map((kind) => {
    const some = removed.filter((one) => one.kind === kind)
    const bytes = some.reduce((sum, one) => sum + one.bytes, 0)
    return `  ${kind.padEnd(10)} ${String(some.length).padStart(5)}  ${megabytes(bytes)}`
  })
}

function megabytes(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(1)} MiB`
}

const units: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 }

/** Such as "7d". */
function readAge(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const [, number, unit = ""] = /^(\d{1,6})([mhd])$/.exec(text) ?? []
  const one = units[unit]
  if (number !== undefined && one !== undefined) return Number(number) * one
  throw new UsageError(`--older-than ${text} is not an age; give one such as 7d, 12h or 30m.`)
}
