export {
  type AdaptedHost,
  adaptHost,
  type SandboxApi,
  type SandboxApiExec,
  type SandboxApiResult,
} from "./adapted/adapt-sandbox.ts"
export { measureHome } from "./agent/disk/measure-home.ts"
export { isOwned, type OldThing, oldThings, removeOldThings, thingsOf } from "./clean/old-things.ts"
export { confineProgram, filterDescriptor } from "./confine/confine-program.ts"
export { createLimitedGroup, type LimitedGroup } from "./confine/control-groups.ts"
export type { CallObservation, SandboxEffects } from "./effects/call-observer.ts"
export type {
  DiskRoom,
  DiskShare,
  Host,
  HostStatus,
  Mount,
  Sandbox,
  SandboxCheckpoint,
  SandboxLimitsRequest,
  SandboxSpan,
  SandboxSpec,
  SandboxUse,
  SandboxWatch,
  StoredThing,
} from "./host/host.ts"
export type {
  CapturedStream,
  CommandOutcome,
  CommandRun,
  FileRead,
  FileWrite,
  Operation,
  OperationControl,
  OperationResults,
  TreeImport,
} from "./host/operation.ts"
export { noImageMessage } from "./host/unsupported.ts"
export type { WarmHost } from "./host/warm.ts"
export { WorkspaceError, type WorkspaceErrorCode } from "./host/workspace-error.ts"
export { type BubblewrapHostOptions, bubblewrapHost } from "./hosts/bubblewrap/bubblewrap-host.ts"
export { type DockerHostOptions, dockerHost } from "./hosts/docker/docker-host.ts"
export { kubernetesManifest } from "./hosts/kubernetes/manifest.ts"
export { kubernetesRole } from "./hosts/kubernetes/rights.ts"
export { type LocalHostOptions, localHost } from "./hosts/local/local-host.ts"
export { type MemoryHostOptions, memoryHost } from "./hosts/memory/memory-host.ts"
export { openDockerHost } from "./hosts/open-docker-host.ts"
export { openKubernetesHost, tryKubernetesNetworks } from "./hosts/open-kubernetes-host.ts"
export { openOpenSandboxHost } from "./hosts/open-opensandbox-host.ts"
export {
  cleanLimits,
  networkLimits,
  poolLimits,
  previewLimits,
  sandboxLimits,
} from "./limits.ts"
export type { NetworkDecision } from "./network/decide-target.ts"
export {
  createEgressGuard,
  type EgressGuard,
  type EgressProxy,
  type EgressSettings,
} from "./network/egress-guard.ts"
export { checkDomains } from "./network/uncovered-domains.ts"
export { claimDirectory, releaseDirectory } from "./owners/abandoned.ts"
export {
  type CreatedSandbox,
  createPool,
  type NamedPath,
  type Pool,
  type PoolOptions,
  type SandboxRequest,
  type TransferOptions,
} from "./pool/create-pool.ts"
export type { SandboxStatus } from "./pool/named-sandbox.ts"
export {
  beyondBound,
  isWithinKind,
  type NetworkBound,
  type PoolNetwork,
} from "./pool/network-bound.ts"
export type { CheckpointedSandbox, PoolCheckpoint } from "./pool/pool-checkpoints.ts"
export type { PoolEvent, PoolListener } from "./pool/pool-events.ts"
export { ownRecords } from "./pool/pool-record.ts"
export { badName, isSandboxName } from "./pool/refusals.ts"
export type { DiskTotals, HomeTotal } from "./pool/session-disk.ts"
export { warmHost } from "./pool/warm-host.ts"
export { createPreviews, type PreviewOptions, type Previews } from "./previews/create-previews.ts"
export { createPreviewHub, type PreviewHub } from "./previews/preview-hub.ts"
export type { PreviewTarget } from "./previews/preview-table.ts"
export { type SandboxPath, type Transferred, transfer } from "./transfer/transfer.ts"
export {
  createWorkspace,
  decodeStream,
  type OpenSandbox,
  type WorkspaceOptions,
} from "./workspace/create-workspace.ts"
export { filesOf, type WorkspaceFiles } from "./workspace/files-of.ts"
export { openInput } from "./workspace/live-input.ts"
export { workspaceAt } from "./workspace/workspace-at.ts"
