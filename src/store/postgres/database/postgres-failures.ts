import { ToolFailure } from "../../../contract/index.ts"
import { errorCode, errorText } from "../../../kit/index.ts"
import { describeOwner } from "../../../node/index.ts"
import type { PostgresAddress } from "./postgres-pool.ts"

/** What became of a statement that failed: it may be tried again, or never works. */
export type Trouble = "connection" | "conflict" | "other"

const unreachable = new Set([
  ...["ECONNREFUSED", "ECONNRESET", "EPIPE", "ETIMEDOUT", "ENOTFOUND", "EAI_AGAIN", "ENOENT"],
  ...["EACCES", "EHOSTUNREACH", "ENETUNREACH"],
])

/** What `pg` throws without a code. */
const brokenConnection =
  /^(Connection terminated|Connection ended|Query read timeout|timeout e|Client has encountered|Client was closed)/

/** Before version 1.20 pgbouncer has one code for everything that is wrong. */
const poolerCode = "08P01"

/** A deadlock, and what two transactions have changed at once. */
const conflicts = new Set(["40001", "40P01"])

/** The server stops, was stopped, or starts; or it has no connection left. */
const notNow = new Set(["57P01", "57P02", "57P03", "53300"])

export function troubleOf(error: unknown): Trouble {
  const code = errorCode(error) ?? ""
  if (conflicts.has(code)) return "conflict"
  if (isRefused(error)) return "other"
  const isBroken = code === "" && brokenConnection.test(errorText(error))
  return isBroken || unreachable.has(code) || notNow.has(code) || code.startsWith("08")
    ? "connection"
    : "other"
}

/** Whether it is the address that is wrong, so that trying again does not help. */
function isRefused(error: unknown): boolean {
  const code = errorCode(error)
  return refusalOf(error) !== null || (code !== undefined && /^(28|3D)/.test(code))
}

/** As pgbouncer and `pg` say it where there is no code for it. */
function refusalOf(error: unknown): "password" | "database" | null {
  const code = errorCode(error)
  const text = errorText(error)
  if (code === "28P01") return "password"
  if (code === "3D000") return "database"
  if (code === undefined) return /^SASL: .*password/.test(text) ? "password" : null
  if (code !== poolerCode) return null
  if (/password authentication failed|SASL authentication failed|no such user/.test(text)) {
    return "password"
  }
  return /no such database|database .* does not exist/.test(text) ? "database" : null
}

/** One sentence for a person. It has nothing of the address that is secret. */
export function databaseFailure(error: unknown, address: PostgresAddress): unknown {
  if (error instanceof ToolFailure) return error
  const isRetryable = troubleOf(error) !== "other" || errorCode(error) === "53100"
  const message = sentenceFor(error, address)
  if (message === null) return error
  return new ToolFailure(
    { kind: "unavailable", message, ...(!isRetryable && { retryable: false }) },
    { cause: error },
  )
}

function sentenceFor(error: unknown, { shown, database, user }: PostgresAddress): string | null {
  const code = errorCode(error) ?? ""
  const [who, where] = [
    user === null ? "the user" : `the user ${JSON.stringify(user)}`,
    database === null ? "the database" : `the database ${JSON.stringify(database)}`,
  ]
  switch (refusalOf(error)) {
    case "password":
      return `${shown} does not accept the password of ${who}. Check store in toolkeep.yaml.`
    case "database":
      return `${shown} does not have ${where}. Create it, or check store in toolkeep.yaml.`
    case null:
  }
  if (code.startsWith("28")) return `${shown} does not allow ${who} to use ${where} from here.`
  if (code === "42501") {
    return `${shown} does not allow ${who} to create or use the schema toolkeep in ${where}. Grant CREATE on that database, or create the schema for that user.`
  }
  if (code === "53100") return `Nothing was written: the disk of ${shown} is full.`
  if (code === "25006") return `Nothing was written: ${shown} is read-only.`
  if (code === "54000") return `A name or a key is too long for ${shown}.`
  if (notNow.has(code)) return `${shown} is starting, stopping or full; try again in a moment.`
  if (conflicts.has(code)) return `${shown} is busy with the same session; try again in a moment.`
  if (troubleOf(error) === "connection") {
    const why = code === "" || code === poolerCode ? errorText(error) : code
    return `${shown} can't be reached (${why}). Check that it runs, and store in toolkeep.yaml.`
  }
  // Of the server: five characters, the first a digit or a letter.
  return /^[0-9A-Z]{5}$/.test(code) ? `${shown} failed: ${errorText(error)} (${code}).` : null
}

export function newerSchema(
  { shown, database }: PostgresAddress,
  version: number,
  known: number,
): ToolFailure {
  const where = database === null ? shown : `${shown}, database ${JSON.stringify(database)},`
  return new ToolFailure({
    kind: "unavailable",
    message:
      `The record in ${where} was written by a newer Toolkeep (its version is ${version}, this one knows ` +
      `${known}); nothing was changed. Update Toolkeep.`,
    retryable: false,
  })
}

export function foreignSchema({ shown, database }: PostgresAddress): ToolFailure {
  const where = database === null ? shown : `${shown}, database ${JSON.stringify(database)},`
  return new ToolFailure({
    kind: "unavailable",
    message: `The schema toolkeep in ${where} belongs to another program and was not changed. Use another database.`,
    retryable: false,
  })
}

/** Another process may be on another machine, where only its lease says whether it lives. */
export function leasedElsewhere(name: string, owner: string, leftMs: number): ToolFailure {
  const seconds = Math.max(1, Math.ceil(leftMs / 1000))
  return new ToolFailure({
    kind: "unavailable",
    message:
      `The session ${JSON.stringify(name)} is open in another process (${describeOwner(owner).name}). Close it there, ` +
      `or use another name. If that process has ended, the session can be opened in ${seconds} s.`,
  })
}
