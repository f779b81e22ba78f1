import { existsSync } from "node:fs"
import { resolve } from "node:path"
import { isObject } from "../../contract/index.ts"
import { type NewEntry, newestFirst, type RecordReader } from "../../store/index.ts"
import type { Arguments } from "../flags/command.ts"
import { defaultFile } from "../flags/open-session.ts"

/** The settings of a session's last run. A later run uses the same ones, and so the same policy. */
export interface RunSettings {
  readonly flags: Readonly<Record<string, string>>
  /** The directory in which the command was given; the local host works there. */
  readonly directory: string
}

const remembered = ["host", "network", "config", "profile", "agent"]
const kind = "settings"

/** The flags that were given, and those of the session's earlier runs where they were not. */
export function withSettings(given: Arguments, settings: RunSettings | null): Arguments {
  if (!settings) return given
  return { ...given, text: (flag) => given.text(flag) ?? settings.flags[flag] }
}

export function settingsOf(
  given: Arguments,
  { before, model }: { readonly before: RunSettings | null; readonly model: string },
): RunSettings {
  const flags = remembered.flatMap((flag) => {
    const value = given.text(flag)
    return value === undefined ? [] : [[flag, flag === "config" ? resolve(value) : value] as const]
  })
  // Without a flag, the file in this directory decides, also when the session continues in another directory.
  const isFound = before === null && given.text("config") === undefined && existsSync(defaultFile)
  return {
    flags: {
      model,
      ...Object.fromEntries(flags),
      ...(isFound && { config: resolve(defaultFile) }),
    },
    directory: before?.directory ?? process.cwd(),
  }
}

export function settingsEntry(settings: RunSettings, at: number): NewEntry {
  return { kind, at, body: settings, isMilestone: true }
}

/** Those of the last run; null in a session that has none. */
export async function readSettings(reader: RecordReader | null): Promise<RunSettings | null> {
  if (!reader) return null
  for await (const { kind: found, body } of newestFirst(reader, { milestones: true })) {
    if (found === kind && isSettings(body)) return body
  }
  return null
}

function isSettings(body: unknown): body is RunSettings {
  return isObject(body) && isObject(body.flags) && typeof body.directory === "string"
}
