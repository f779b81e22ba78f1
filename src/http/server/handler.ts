import type {
  BytesRoute,
  EventRoute,
  JsonRoute,
  RouteAnswer,
  RouteInput,
  RouteName,
} from "../../api/index.ts"
import { ToolFailure } from "../../contract/index.ts"
import type { Clock } from "../../kit/index.ts"
import { noSuchSession, type Session, type Toolkeep } from "../../session/index.ts"
import type { RecordStore } from "../../store/index.ts"
import type { SingleUse } from "../access/single-use.ts"
import type { Token, TokenStore } from "../access/token-store.ts"
import type { Connections } from "../connections.ts"
import { httpLimits } from "../limits.ts"
import type { TerminalGrant } from "../terminals/serve-terminal.ts"
import type { TerminalPlaces } from "../terminals/terminal-places.ts"
import type { Questions } from "./questions.ts"

/** What the handlers of the API work with. */
export interface ApiDeps {
  readonly toolkeep: Toolkeep
  readonly store: RecordStore
  readonly home: string
  readonly tokens: TokenStore
  /** Each signs in one device. */
  readonly codes: SingleUse<true>
  /** Each opens one terminal. */
  readonly tickets: SingleUse<TerminalGrant>
  readonly terminals: TerminalPlaces
  readonly questions: Questions
  /** How to connect agents to this server. */
  readonly connections: () => Connections
  readonly clock: Clock
}

export interface RequestContext {
  /** Null where a route is open to everybody. */
  readonly token: Token | null
  /** Aborts when the client is gone or the server stops. */
  readonly signal: AbortSignal
  /** The last event that the client has, where it reconnects. */
  readonly lastEventId: number | null
  readonly upload: { readonly bytes: number; readonly body: ReadableStream<Uint8Array> } | null
}

export interface ServerEvent {
  readonly event: string
  readonly id?: number
  readonly data: unknown
}

export interface FileAnswer {
  readonly filename: string
  readonly mediaType: string
  readonly bytes: number
  readonly body: ReadableStream<Uint8Array>
}

type Answer<Name extends RouteName> = Name extends JsonRoute
  ? Promise<RouteAnswer<Name>>
  : Name extends EventRoute
    ? Promise<AsyncIterable<ServerEvent>>
    : Name extends BytesRoute
      ? Promise<FileAnswer>
      : never

/** A handler for each of these routes. */
export type Handlers<Names extends RouteName> = {
  readonly [Name in Names]: (input: RouteInput<Name>, context: RequestContext) => Answer<Name>
}

/** The session, opened where it is not: it is recorded, and its sandboxes outlive the server. */
export function ownSession(deps: ApiDeps, name: string): Session {
  const { toolkeep } = deps
  if (!openSession(deps, name) && toolkeep.sessions().length >= httpLimits.sessions) {
    const message = `The server has ${httpLimits.sessions} sessions open. Delete one, or try again later.`
    throw new ToolFailure({ kind: "unavailable", message })
  }
  return toolkeep.session(name, { durable: true, record: true })
}

/** The session where it is there: reading creates none. */
export async function knownSession(deps: ApiDeps, name: string): Promise<Session> {
  const { store } = deps
  if (!openSession(deps, name) && !(await store.read(name))) throw await noSuchSession(store, name)
  return ownSession(deps, name)
}

/** The session where it is open in this process. */
export function openSession({ toolkeep }: ApiDeps, name: string): Session | undefined {
  return toolkeep.sessions().find((session) => session.name === name)
}
