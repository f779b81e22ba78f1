export type { AgentRoute } from "./agent-routes.ts"
export { type ApiClient, ApiError, type ApiEvent, createClient } from "./create-client.ts"
export type { PatternRoute } from "./pattern-routes.ts"
export { pathArguments, type Route, type Scope } from "./route.ts"
export {
  type BytesRoute,
  type EventRoute,
  type JsonRoute,
  type RouteAnswer,
  type RouteArguments,
  type RouteInput,
  type RouteName,
  routeEntries,
} from "./routes.ts"
export type { SandboxRoute } from "./sandbox-routes.ts"
export type { ServerRoute } from "./server-routes.ts"
export type { SessionRoute } from "./session-routes.ts"
