export { type Cleaned, cleanHome } from "./clean/clean-home.ts"
export { cleanSometimes } from "./clean/clean-sometimes.ts"
export {
  type CallOptions,
  createSession,
  type Session,
  type SessionEvent,
} from "./create-session.ts"
export { imageSources } from "./image-sources.ts"
export { type HostPlaces, hostNames, openHost, toolkeepHome } from "./open-host.ts"
export {
  openToolkeep,
  type SessionOptions,
  type Toolkeep,
  type ToolkeepOptions,
} from "./open-toolkeep.ts"
export type { Defer } from "./shown-tools.ts"
export type { OpenToolSource, SourceDeps, ToolSource } from "./tool-source.ts"
export { version } from "./version.ts"
