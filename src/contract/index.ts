export type { CallContext } from "./call-context.ts"
export type { Capabilities, SandboxLimits } from "./capabilities.ts"
export {
  type CutText,
  cutText,
  omissionNote,
  trimEndToCharacter,
  trimStartToCharacter,
} from "./cut-text.ts"
export { defineTool } from "./define-tool.ts"
export { DefinitionError } from "./definition-error.ts"
export {
  type Envelope,
  type Failure,
  type FailureDetails,
  failure,
  type Success,
  success,
} from "./envelope.ts"
export { type FailureKind, failureKinds, isFailureKind } from "./failure-kinds.ts"
export { isObject, type Json, type JsonObject } from "./json.ts"
export type { InferSchema, JsonSchema, SchemaType } from "./json-schema.ts"
export { limits } from "./limits.ts"
export {
  checkPath,
  isInside,
  type PathFault,
  type PathRules,
  type PathVerdict,
  requirePath,
  resolvePath,
} from "./path-rules.ts"
export type {
  DescribedSchema,
  Effect,
  InferInput,
  InputSchema,
  PathUse,
  Tool,
  ToolDefinition,
} from "./tool.ts"
export { ToolFailure } from "./tool-failure.ts"
export type {
  CommandEnding,
  DirectoryEntry,
  ExecOptions,
  ExecResult,
  FileStat,
  FileType,
  OutputChunk,
  ReaddirOptions,
  ReadOptions,
  SignalOption,
  Workspace,
  WriteOptions,
} from "./workspace.ts"
