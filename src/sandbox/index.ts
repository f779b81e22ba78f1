export { createWorkspace, workspaceAt } from "./create-workspace.ts"
export { decodeStream } from "./decode-stream.ts"
export type { Host, HostStatus, Sandbox, SandboxSpec } from "./host.ts"
export type {
  CapturedStream,
  CommandOutcome,
  CommandRun,
  FileRead,
  FileWrite,
  Operation,
  OperationControl,
  OperationResults,
} from "./operation.ts"
export { createPool, isSandboxName, type Pool } from "./pool.ts"
export { WorkspaceError, type WorkspaceErrorCode } from "./workspace-error.ts"
