import type { Scope } from "../../api/index.ts"
import { ToolFailure } from "../../contract/index.ts"
import type { Token } from "../access/token-store.ts"
import type { SandboxApi } from "../sandbox-api/sandbox-api.ts"

/** A request of OpenSandbox's API, from somebody who may ask it. */
export interface OpenSandboxRequest {
  readonly raw: Request
  readonly query: URLSearchParams
  /** A part of the path, by its name in the route. */
  readonly path: (name: string) => string
  /** The sandbox that the path names. */
  readonly id: string
  readonly token: Token
  /** Aborts when the client is gone or the server stops. */
  readonly signal: AbortSignal
}

export type Handler = (request: OpenSandboxRequest, api: SandboxApi) => Promise<Response>

export interface OpenSandboxRoute {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE"
  /** Below /v1, with parts such as {id}. */
  readonly path: string
  readonly scope: Exclude<Scope, "open">
  readonly handle: Handler
  /** Its body is a file, which may take longer to come than other requests. */
  readonly upload?: true
}

/** The word for its sandboxes in what is stored. */
export const apiName = "opensandbox"

/** Something of OpenSandbox's API that is not done here: answered with 501. */
export class NotImplemented extends Error {}

export function notImplemented(what: string): NotImplemented {
  return new NotImplemented(`${what}: Toolkeep does not do this.`)
}

export function badRequest(message: string, field?: string): ToolFailure {
  return new ToolFailure({
    kind: "invalid_args",
    message,
    ...(field !== undefined && { field }),
  })
}

type Body = Readonly<Record<string, unknown>>

/** What clients leave out, some send as null. */
export function optional<Value>(
  body: Body,
  field: string,
  { is, expected }: { readonly is: (value: unknown) => value is Value; readonly expected: string },
): Value | undefined {
  const value = Object.hasOwn(body, field) ? body[field] : undefined
  if (value === undefined || value === null) return undefined
  if (is(value)) return value
  throw badRequest(`${field} has to be ${expected}.`, field)
}

export const aText = {
  is: (value: unknown): value is string => typeof value === "string",
  expected: "a text",
}

export const aFlag = {
  is: (value: unknown): value is boolean => typeof value === "boolean",
  expected: "true or false",
}

export const aCount = {
  is: (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0,
  expected: "a whole number, not below 0",
}

export const texts = {
  is: (value: unknown): value is Readonly<Record<string, string>> =>
    isRecord(value) && Object.values(value).every((one) => typeof one === "string"),
  expected: "an object of texts",
}

export const listOfTexts = {
  is: (value: unknown): value is readonly string[] =>
    Array.isArray(value) && value.every((one) => typeof one === "string"),
  expected: "a list of texts",
}

export const anObject = { is: isRecord, expected: "an object" }

export function isRecord(value: unknown): value is Body {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

export function required<Value>(
  body: Body,
  field: string,
  type: { readonly is: (value: unknown) => value is Value; readonly expected: string },
): Value {
  const value = optional(body, field, type)
  if (value !== undefined) return value
  throw badRequest(`${field} is missing.`, field)
}

/** A number of a query; undefined where it is not given. */
export function queryCount(query: URLSearchParams, field: string): number | undefined {
  const text = query.get(field)
  if (text === null || text === "") return undefined
  const value = Number(text)
  if (Number.isSafeInteger(value) && value >= 0) return value
  throw badRequest(`${field} has to be ${aCount.expected}.`, field)
}

/** The paths of a query, of which there is at least one. */
export function queryPaths(query: URLSearchParams): readonly string[] {
  const paths = query.getAll("path")
  if (paths.length > 0) return paths
  throw badRequest("path is missing.", "path")
}

const noStore = { "Cache-Control": "no-store" }

export function json(value: unknown, status = 200): Response {
  return Response.json(value, { status, headers: noStore })
}

/** Says that there is nothing to read: clients would take a body without a length for JSON. */
export function empty(status = 200): Response {
  const length = status === 204 ? {} : { "Content-Length": "0" }
  return new Response(null, { status, headers: { ...noStore, ...length } })
}
