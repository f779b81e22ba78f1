import { agentRoutes } from "./agent-routes.ts"
import { patternRoutes } from "./pattern-routes.ts"
import type { AnswerOf, InputOf, Route, SentTo } from "./route.ts"
import { sandboxRoutes } from "./sandbox-routes.ts"
import { serverRoutes } from "./server-routes.ts"
import { sessionRoutes } from "./session-routes.ts"

/** The HTTP API. */
export const routes = {
  ...{ ...sessionRoutes, ...sandboxRoutes, ...serverRoutes },
  ...{ ...agentRoutes, ...patternRoutes },
}

export type Routes = typeof routes
export type RouteName = keyof Routes

/** The routes that answer with JSON, with events, and with bytes. */
export type JsonRoute = RoutesThat<"json">
export type EventRoute = RoutesThat<"events">
export type BytesRoute = RoutesThat<"bytes">

type RoutesThat<Kind extends "json" | "events" | "bytes"> = {
  [Name in RouteName]: (
    Routes[Name]["answer"] extends "events" | "bytes"
      ? Routes[Name]["answer"]
      : "json"
  ) extends Kind
    ? Name
    : never
}[RouteName]

export type RouteInput<Name extends RouteName> = InputOf<Routes[Name]>
export type RouteArguments<Name extends RouteName> = SentTo<Routes[Name]>
export type RouteAnswer<Name extends JsonRoute> = AnswerOf<Routes[Name]>

export const routeEntries = Object.entries(routes) as unknown as readonly (readonly [
  RouteName,
  Route,
])[]
