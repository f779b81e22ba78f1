// `toolkeep`: open it, call tools, define your own.
export type { PolicyConfig } from "../config/index.ts"
export {
  type CallContext,
  type Capabilities,
  DefinitionError,
  defineTool,
  type Envelope,
  type ExecOptions,
  type ExecResult,
  type Failure,
  type FailureDetails,
  type FailureKind,
  type JsonSchema,
  type Network,
  type ResultView,
  type Success,
  type Tool,
  type ToolDefinition,
  ToolFailure,
  type Workspace,
} from "../contract/index.ts"
export type {
  ApprovalAnswer,
  ApprovalRequest,
  Approver,
  RunningCall,
} from "../runtime/index.ts"
export {
  type CallOptions,
  openToolkeep,
  type Session,
  type SessionEvent,
  type SessionOptions,
  type Toolkeep,
  type ToolkeepOptions,
} from "../session/index.ts"
export type { Artifact } from "../store/index.ts"
