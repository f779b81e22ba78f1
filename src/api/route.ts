import type { InferSchema, InferSent, JsonSchema } from "../contract/index.ts"

/**
 * What a request's token must allow: to read, to call tools, to answer questions, or everything. "open" needs no token.
 */
export type Scope = "open" | "read" | "call" | "approve" | "own"

/** One route of the HTTP API as data. Checks, documents and the client are derived from it. */
export interface Route {
  readonly method: "GET" | "POST" | "PUT" | "DELETE"
  /** Below /api, with the names of arguments in braces. */
  readonly path: string
  readonly scope: Scope
  readonly summary: string
  /** All arguments together: those of the path, and the rest as the query (GET, DELETE) or as the JSON body. */
  readonly input: JsonSchema
  /** What it answers: JSON of this schema, server-sent events, or the bytes of a file. */
  readonly answer: JsonSchema | "events" | "bytes"
  /** Whether it answers a token of one session with what is that session's, though no argument names one. */
  readonly narrowed?: true
  /** Whether the body is a file, and the arguments are in the query. */
  readonly upload?: true
}

export function defineRoutes<const Routes extends Readonly<Record<string, Route>>>(
  routes: Routes,
): Routes {
  return routes
}

/** The names of the arguments in a path. */
export function pathArguments(path: string): readonly string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name)
}

/** What a handler gets, with defaults filled in. */
export type InputOf<One extends Route> = InferSchema<One["input"]>

/** What a client sends. */
export type SentTo<One extends Route> = InferSent<One["input"]>

export type AnswerOf<One extends Route> = One["answer"] extends JsonSchema
  ? InferSchema<One["answer"]>
  : never
