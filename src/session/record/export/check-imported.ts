import { isObject } from "../../../contract/index.ts"
import type { NewEntry } from "../../../store/index.ts"
import { fileChanges } from "../../effects/recorded-effects.ts"

type Body = Readonly<Record<string, unknown>>
type Check = (body: Body) => boolean

/** No `Date` has a later time. */
const lastTime = 8_640_000_000_000_000

export function isTime(value: unknown): value is number {
  return isCount(value) && value <= lastTime
}

export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0
}

/** An id is shown, typed and part of names. */
export function isId(value: unknown): value is string {
  return isText(value) && /^[\w.:-]{1,100}$/.test(value)
}

/** A question as `toolkeep approve` shows it. */
export function isQuestion(body: unknown): boolean {
  if (!isObject(body)) return false
  const { kind, text, tool, options = [] } = body
  return ["approval", "clarify"].includes(String(kind)) && areTexts(text, tool) && allTexts(options)
}

/** Whether those who read an entry of this kind find what they expect; nobody reads kinds that are not known. */
export function isReadable({ kind, body }: Pick<NewEntry, "kind" | "body">): boolean {
  const check = Object.hasOwn(checks, kind) ? checks[kind] : undefined
  return check === undefined || (isObject(body) && check(body))
}

/**
 * What a file says of this machine, of what a person has allowed, or of how much may be used, is not trusted: the person who
 * goes on with the session decides that here.
 */
export function withoutTrust(given: NewEntry): NewEntry {
  // Only a call may still be open: an open grant allows something, and another entry under its key takes its place.
  const entry = given.kind === "call" ? given : { ...given, opens: undefined }
  switch (entry.kind) {
    case "checkpoint": {
      const why = "The session was imported, and an export has no files of its sandboxes."
      return { ...entry, body: { kind: "missing", why } }
    }
    case "settings":
      return { ...entry, kind: "imported-settings", isMilestone: false }
    case "run":
      return { ...entry, body: withDefaultLimits(Object(entry.body)) }
    case "edit": {
      const { summary, ...edit } = Object(entry.body)
      if (summary === undefined) return entry
      const run = { ...summary.run, start: withDefaultLimits(summary.run.start) }
      return { ...entry, body: { ...edit, summary: { ...summary, run } } }
    }
    default:
      return entry
  }
}

/** What a person has written in the place of arguments counts where that person wrote it. */
export function questionWithoutTrust(body: unknown): unknown {
  const { edits: _, ...question } = Object(body)
  return question
}

/** Where a limit has a default, that holds; the others can only narrow. No server goes on with it as its own. */
function withDefaultLimits({ by: _, ...start }: Body): Body {
  const { rounds: __, calls: ___, commandsPerTurn: ____, ...limits } = Object(start.limits)
  return { ...start, limits }
}

const checks: Readonly<Record<string, Check>> = {
  run: isRunStart,
  message: ({ message, spent, cutOff = [] }) =>
    isMessage(message) && (spent === undefined || isSpent(spent)) && allTexts(cutOff),
  edit: ({ results, summary }) =>
    isObject(results) &&
    allTexts(Object.values(results)) &&
    (summary === undefined || isSummary(summary)),
  child: ({ call, session, spent }) => areTexts(call, session) && isSpent(spent),
  moving: ({ to, sandboxes }) => isText(to) && allTexts(sandboxes),
  "run-ended": ({ why, text }) => areTexts(why, text),
  call: ({ call, tool, answer_form: form }) =>
    areTexts(call, tool) && (form === undefined || (isObject(form) && isText(form.form))),
  question: ({ call, prompt }) => areTexts(call, prompt),
  answer: ({ call, answer }) => isText(call) && isObject(answer) && isText(answer.kind),
  sandbox: ({ sandbox, change, image = "", to = "", path = "", bytes = 0 }) =>
    areTexts(sandbox, change, image, to, path) && isCount(bytes),
  "network-decided": ({ sandbox, decisions, more }) =>
    isText(sandbox) && isCount(more) && everyObject(decisions, isDecision),
  "call-printed": ({ call, bytes }) => isText(call) && isCount(bytes),
  "call-effects": ({ call, sandbox, shared, files }) =>
    areTexts(call, sandbox) && allTexts(shared) && isObject(files) && isFileEffects(files),
  envelope: ({ call, envelope, output }) =>
    isText(call) && isObject(envelope) && isText(envelope.tool) && isStoredOutput(output),
}

function isDecision({ target, port, allowed, rule, times }: Body): boolean {
  const isYesOrNo = typeof allowed === "boolean"
  return areTexts(target, rule) && isCount(port) && isCount(times) && isYesOrNo
}

function isStoredOutput(output: unknown): boolean {
  if (output === undefined) return true
  return isObject(output) && isCount(output.bytes) && areTexts(output.head, output.tail)
}

function isFileEffects(files: Body): boolean {
  if (isText(files.unknown)) return true
  const { below, incomplete = "" } = files
  if (!areTexts(below, incomplete)) return false
  return fileChanges.every((change) => {
    const list = files[change]
    return isObject(list) && isCount(list.count) && everyObject(list.first, isChangedFile)
  })
}

function isChangedFile({ path, type, bytes, before, after }: Body): boolean {
  if (!areTexts(path, type) || !(bytes === null || isCount(bytes))) return false
  return [before, after].every(
    (one) => one === undefined || (isObject(one) && (isText(one.hash) || isText(one.unknown))),
  )
}

function isRunStart({ model, system, limits }: Body): boolean {
  if (!areTexts(model, system) || !isObject(limits)) return false
  const { callsOf = {}, ...numbers } = limits
  return isObject(callsOf) && areAmounts(numbers) && areAmounts(callsOf)
}

function isSummary(summary: unknown): boolean {
  if (!isObject(summary) || !isText(summary.text) || !isCount(summary.keepFrom)) return false
  const { run } = summary
  if (!isObject(run) || !isObject(run.start)) return false
  return isCount(run.sequence) && isTime(run.startedAt) && isRunStart(run.start)
}

function isSpent(spent: unknown): boolean {
  if (!isObject(spent)) return false
  const { callsOf, rounds, calls, commands, tokens, cost } = spent
  return (
    isObject(callsOf) &&
    areAmounts(callsOf) &&
    areAmounts({ rounds, calls, commands, tokens, cost })
  )
}

function areAmounts(amounts: Body): boolean {
  return Object.values(amounts).every((one) => Number.isFinite(one) && Number(one) >= 0)
}

function isMessage(message: unknown): boolean {
  if (!isObject(message)) return false
  const { role, content, results, usage, finish, model } = message
  switch (role) {
    case "user":
      return everyObject(content, isPart)
    case "assistant":
      return (
        everyObject(content, isPart) &&
        areTexts(finish, model) &&
        isObject(usage) &&
        areAmounts(usage)
      )
    case "tool":
      return everyObject(
        results,
        (one) =>
          isObject(one.call) &&
          isCall(one.call) &&
          everyObject(one.content, isPart) &&
          (one.short === undefined || isText(one.short)),
      )
    default:
      return false
  }
}

function isPart(part: Body): boolean {
  switch (part.type) {
    case "text":
    case "reasoning":
      return isText(part.text)
    case "image":
      return areTexts(part.mediaType, part.data)
    case "call":
      return isCall(part)
    case "provider":
      return isObject(part.part)
    default:
      return false
  }
}

function isCall({ id, providerId, tool, input }: Body): boolean {
  return isId(id) && areTexts(providerId, tool, input)
}

function everyObject(value: unknown, check: Check): boolean {
  return Array.isArray(value) && value.every((one) => isObject(one) && check(one))
}

function allTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every(isText)
}

function areTexts(...values: readonly unknown[]): boolean {
  return values.every(isText)
}

function isText(value: unknown): value is string {
  return typeof value === "string"
}
