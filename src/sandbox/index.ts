export {
  type AdaptedHost,
  adaptHost,
  type SandboxApi,
  type SandboxApiExec,
  type SandboxApiResult,
} from "./adapt-sandbox.ts"
export { createWorkspace, workspaceAt } from "./create-workspace.ts"
export { decodeStream } from "./decode-stream.ts"
export { filesOf, type WorkspaceFiles } from "./files-of.ts"
export type { Host, HostStatus, Sandbox, SandboxSpec } from "./host.ts"
export { type BubblewrapHostOptions, bubblewrapHost } from "./hosts/bubblewrap/bubblewrap-host.ts"
export { type DockerHostOptions, dockerHost } from "./hosts/docker/docker-host.ts"
export { type LocalHostOptions, localHost } from "./hosts/local/local-host.ts"
export { type MemoryHostOptions, memoryHost } from "./hosts/memory/memory-host.ts"
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
