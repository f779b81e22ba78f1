export { artifactResult, showArtifact } from "./artifact-result.ts"
export {
  agentToolNames,
  type BuiltInTool,
  isReservedName,
  toolFamilies,
} from "./canonical-tools.ts"
export { catalogue } from "./catalogue.ts"
export { describeEnvironment } from "./describe-environment.ts"
export { fileLimits, toolSearchLimits } from "./limits.ts"
export { withoutPipefail } from "./process/run-to-end.ts"
export { networkBounds } from "./sandbox/network-argument.ts"
export type { ToolLoading } from "./search/search-tool.ts"
export { searchToolName } from "./search/search-tool.ts"
export type { VisibleSessions } from "./sessions/session-tools.ts"
export { createWorkPool, type WorkPool } from "./work/session-work.ts"
