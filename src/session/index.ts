export type { DiskSettings } from "../config/index.ts"
export { type Cleaned, type CleanOptions, type CleanResult, cleanHome } from "./clean/clean-home.ts"
export { cleanSometimes } from "./clean/clean-sometimes.ts"
export {
  type CallOptions,
  createSession,
  type Session,
  type SessionSandboxes,
} from "./create-session.ts"
export { type ImageSources, imageSources } from "./image-sources.ts"
export { type HostChoice, type HostPlaces, hostNames, openHost, toolkeepHome } from "./open-host.ts"
export {
  openToolkeep,
  type SessionOptions,
  type Toolkeep,
  type ToolkeepOptions,
} from "./open-toolkeep.ts"
export type { Asker, Defer, ToolsAsked } from "./shown-tools.ts"
export type { OpenToolSource, SourceParts, ToolSource } from "./tool-source.ts"
export { version } from "./version.ts"
