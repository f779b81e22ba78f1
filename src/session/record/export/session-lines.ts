import { isObject, parseObject, ToolFailure } from "../../../contract/index.ts"
import { type CallOutput, type NewEntry, recordLimits } from "../../../store/index.ts"
import { isCount, isId, isQuestion, isReadable, isTime } from "./check-imported.ts"

/** The version of exports that this Toolkeep writes, and the newest that it reads. */
export const exportVersion = 1

/** The first line of an exported session. */
export interface SessionLine {
  readonly toolkeep: "session"
  readonly version: number
  readonly name: string
  readonly state: string
  /** How many lines of each follow. */
  readonly entries: number
  readonly questions: number
  readonly created: string
  readonly updated: string
}

/** One entry, with what was recorded of its call's output. */
export interface EntryLine {
  readonly sequence: number
  readonly parent: number | null
  readonly kind: string
  readonly at: number
  readonly body: unknown
  readonly milestone?: true
  /** The key of what it begins and nothing has ended. */
  readonly opens?: string
  readonly output?: { readonly call: string } & CallOutput
  /** The texts of files that it names and no line before it has, by their hashes. */
  readonly texts?: Readonly<Record<string, string>>
}

export interface QuestionLine {
  readonly question: string
  readonly call: string
  readonly asked: number
  readonly body: unknown
  readonly answer: unknown
  readonly taken: boolean
}

export function refuseImport(reason: string): ToolFailure {
  return new ToolFailure({
    kind: "invalid_args",
    message: `Nothing was imported: ${reason}`,
    retryable: false,
  })
}

export function parseLine(text: string, line: number): Readonly<Record<string, unknown>> {
  const value = parseObject(text)
  if (value) return value
  throw refuseImport(`line ${line} is cut off or is not a JSON object.`)
}

export function readSessionLine(value: Readonly<Record<string, unknown>>): SessionLine {
  if (value.toolkeep !== "session" || !isCount(value.version)) {
    throw refuseImport("this is not an exported session: its first line does not describe one.")
  }
  if (value.version > exportVersion) {
    throw refuseImport(
      `the file was written by a newer Toolkeep (its version is ${value.version}, this one knows ${exportVersion}). Update Toolkeep.`,
    )
  }
  const { name, entries, questions } = value
  if (typeof name !== "string" || !isCount(entries) || !isCount(questions)) {
    throw refuseImport("the first line lacks the session's name or its number of entries.")
  }
  return value as unknown as SessionLine
}

export interface ReadEntry {
  readonly entry: NewEntry
  readonly output: EntryLine["output"]
  readonly texts: readonly string[]
}

/** The entry with this number; one that follows itself, a repeated one and a gap are refused. */
export function readEntryLine(
  value: Readonly<Record<string, unknown>>,
  { line, sequence }: { readonly line: number; readonly sequence: number },
): ReadEntry {
  const { parent, kind, at, body, milestone, opens, output, texts } = value
  if (value.sequence !== sequence) {
    const found = isCount(value.sequence) ? `entry ${value.sequence}` : "something else"
    throw refuseImport(`line ${line} has ${found} instead of entry ${sequence}.`)
  }
  if (parent !== null && !(isCount(parent) && parent > 0 && parent < sequence)) {
    throw refuseImport(`line ${line} has an entry that does not follow an earlier one.`)
  }
  if (typeof kind !== "string" || !isTime(at) || body === undefined) {
    throw refuseImport(`line ${line} has an entry without a kind, a time or a body.`)
  }
  if (opens !== undefined && typeof opens !== "string") {
    throw refuseImport(`line ${line} has an entry whose "opens" is not a text.`)
  }
  const isMilestone = milestone === true
  const entry = { kind, at, body, parent, isMilestone, opens }
  if (!isReadable(entry)) {
    throw refuseImport(`line ${line} has an entry that is not what its kind says.`)
  }
  return { entry, output: readOutput(output, line), texts: readTexts(texts, line) }
}

/** They are found by the hashes that they have here, whatever the file says. */
function readTexts(value: unknown, line: number): readonly string[] {
  if (value === undefined) return []
  const texts = isObject(value) ? Object.values(value) : [null]
  if (texts.every((text) => typeof text === "string")) return texts
  throw refuseImport(`line ${line} has texts of files that can't be read.`)
}

function readOutput(value: unknown, line: number): EntryLine["output"] {
  if (value === undefined) return undefined
  const { call, head, tail, bytes } = isObject(value) ? value : {}
  const isText = [call, head, tail].every((one) => typeof one === "string")
  if (isText && isCount(bytes)) return value as EntryLine["output"]
  throw refuseImport(`line ${line} has an output that can't be read.`)
}

export function readQuestionLine(
  value: Readonly<Record<string, unknown>>,
  line: number,
): QuestionLine {
  const { question, call, asked, body, answer } = value
  if (
    isId(question) &&
    typeof call === "string" &&
    isTime(asked) &&
    isQuestion(body) &&
    answer !== undefined
  ) {
    return value as unknown as QuestionLine
  }
  throw refuseImport(`line ${line} has a question that can't be read.`)
}

/** A name is shown in lists, and typed. */
export function requireName(name: string): string {
  const most = recordLimits.nameCharacters
  if (name !== "" && name.length <= most && name.isWellFormed()) return name
  throw refuseImport(
    `a session's name has 1 to ${most} characters. Choose another name with --name.`,
  )
}
