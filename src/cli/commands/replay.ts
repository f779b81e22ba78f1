import { type ReplayReport, replaySession } from "../../agent/index.ts"
import { type CommandRun, UsageError } from "../flags/command.ts"
import { openStore } from "../flags/open-record.ts"
import { openKeep } from "../flags/open-session.ts"

/** `toolkeep replay`. */
export const replay: CommandRun = async (given, terminal) => {
  const [name = ""] = given.positionals
  const live = given.is("live")
  await using store = await openStore(given)
  const record = await store?.read(name)
  if (!record) {
    throw new UsageError(`there is no session ${JSON.stringify(name)}; see toolkeep sessions list.`)
  }
  // In a session that is gone afterwards, so that nothing of the recorded one is changed.
  await using keep = await openKeep(given, terminal)
  const report = await replaySession({ record, session: keep.session("replay"), live })
  if (!terminal.forPeople) await terminal.printJson(report, 2)
  else await terminal.print(`${describe(report, live).join("\n")}\n`)
  return report.differences.length === 0 ? 0 : 1
}

function describe(
  { calls, messages, differences, ignored, notCaptured }: ReplayReport,
  live: boolean,
) {
  const how = live ? "ran again" : "answered from the record"
  return [
    `${calls} calls ${how}, ${messages} answers to the model put together again: ${
      differences.length === 0 ? "all as recorded" : `${differences.length} differences`
    }.`,
    ...differences.map(
      ({ entry, tool, path, recorded, now }) =>
        `  entry ${entry}, ${tool}, ${path}: ${short(recorded)} was recorded, now ${short(now)}`,
    ),
    ...(ignored.length > 0
      ? [`Not compared, because it differs in every run: ${ignored.join(", ")}.`]
      : []),
    ...notCaptured.map((what) => `Not captured: ${what}`),
  ]
}

function short(value: unknown): string {
  const text = JSON.stringify(value) ?? "nothing"
  return text.length > 120 ? `${text.slice(0, 120).toWellFormed()}...` : text
}
