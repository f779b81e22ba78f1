import type {
  BytesRoute,
  EventRoute,
  JsonRoute,
  RouteAnswer,
  RouteInput,
  RouteName,
} from "../../api/index.ts"
import type { Clock } from "../../kit/index.ts"
import { noSuchSession, type Session, type Toolkeep } from "../../session/index.ts"
import type { RecordStore } from "../../store/index.ts"
import type { SingleUse } from "../access/single-use.ts"
import type { Token, TokenStore } from "../access/token-store.ts"
import type { Runs } from "../agent/runs.ts"
import type { ArtifactPages } from "../artifacts/artifact-pages.ts"
import type { Connections } from "../connections.ts"
import type { Sent } from "../events/server-event.ts"
import type { PatternPages } from "../patterns/pattern-pages.ts"
import type { Proofs } from "../proofs/create-proofs.ts"
import type { OwnSessions } from "../sessions/own-sessions.ts"
import type { OwnCalls } from "../stopping/own-calls.ts"
import type { TerminalGrant } from "../terminals/serve-terminal.ts"
import type { TerminalPlaces } from "../terminals/terminal-places.ts"
import type { Questions } from "./questions.ts"

/** What the handlers of the API work with. */
export interface ApiDeps {
  readonly toolkeep: Toolkeep
  readonly sessions: OwnSessions
  readonly store: RecordStore
  readonly home: string
  readonly tokens: TokenStore
  /** Each signs in one device. */
  readonly codes: SingleUse<true>
  /** Each opens one terminal. */
  readonly tickets: SingleUse<TerminalGrant>
  readonly terminals: TerminalPlaces
  readonly artifactPages: ArtifactPages
  readonly questions: Questions
  /** Those that clients have started. */
  readonly calls: OwnCalls
  /** Of the server's own agent. */
  readonly runs: Runs
  readonly proofs: Proofs
  readonly patterns: PatternPages
  /** The agents that the policy has rules for. */
  readonly policyAgents: readonly string[]
  /** How to connect agents to this server. */
  readonly connections: () => Connections
  readonly clock: Clock
}

export interface RequestContext {
  /** Null where a route is open to everybody. */
  readonly token: Token | null
  /** Aborts when the client is gone or the server stops. */
  readonly signal: AbortSignal
  /** The name and port by which the client calls the server. */
  readonly host: string
  /** The last event that the client has, where it reconnects. */
  readonly lastEventId: number | null
  readonly upload: { readonly bytes: number; readonly body: ReadableStream<Uint8Array> } | null
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
    ? Promise<AsyncIterable<Sent>>
    : Name extends BytesRoute
      ? Promise<FileAnswer>
      : never

/** A handler for each of these routes. */
export type Handlers<Names extends RouteName> = {
  readonly [Name in Names]: (input: RouteInput<Name>, context: RequestContext) => Answer<Name>
}

/** The session where it is there: reading creates none. */
export async function knownSession(deps: ApiDeps, name: string): Promise<Session> {
  const { store } = deps
  if (!openSession(deps, name) && !(await store.read(name))) throw await noSuchSession(store, name)
  return deps.sessions.open(name)
}

/** The session where it is open in this process. */
export function openSession({ toolkeep }: ApiDeps, name: string): Session | undefined {
  return toolkeep.sessions().find((session) => session.name === name)
}
