export { type FieldStep, fieldSteps, mayHaveField } from "./argument-field.ts"
export type { CallContext } from "./call-context.ts"
export type { Capabilities, CodeLanguage, Network, SandboxLimits } from "./capabilities.ts"
export { type Checked, createInputCheck, type InputCheck } from "./check-input.ts"
export { checkSchema, dialectOf } from "./check-schema.ts"
export { copyInput } from "./copy-input.ts"
export {
  type CutText,
  cutText,
  omissionNote,
  trimEndToCharacter,
  trimStartToCharacter,
} from "./cut-text.ts"
export { defineOwnTool, defineTool, noPaths } from "./define-tool.ts"
export { DefinitionError } from "./definition-error.ts"
export {
  type AnyResult,
  failureMessage,
  isError,
  isSuccess,
  successPayload,
} from "./detect-envelope.ts"
export {
  type Envelope,
  type Failure,
  type FailureDetails,
  failure,
  type Success,
  success,
} from "./envelope.ts"
export { type FailureKind, failureKinds, isFailureKind } from "./failure-kinds.ts"
export { fitResult } from "./fit-result.ts"
export { failureFrom } from "./from-error.ts"
export { isObject } from "./json.ts"
export type { InferSchema, JsonSchema, SchemaType } from "./json-schema.ts"
export { type MarkedBlock, readMarkers } from "./legacy-markers.ts"
export { limits } from "./limits.ts"
export { machineProblem, ownFileProblem } from "./machine-problem.ts"
export {
  checkPath,
  isInside,
  type PathFault,
  type PathRules,
  type PathVerdict,
  requirePath,
  resolvePath,
  sandboxHome,
} from "./path-rules.ts"
export { readableResult } from "./readable-result.ts"
export { type Refined, refineInput } from "./refine-input.ts"
export { type EnvelopeFormat, type RenderedEnvelopes, renderEnvelope } from "./render-envelope.ts"
export {
  type AnthropicTool,
  type McpTool,
  type OpenAiTool,
  type RenderedTools,
  renderTools,
  type ToolFormat,
  toolFormats,
} from "./render-tools.ts"
export {
  optionalString,
  requireInteger,
  requireObject,
  requireString,
  requireStringArray,
} from "./require-argument.ts"
export {
  classifyResult,
  collapseListing,
  type Listing,
  type ListingEntry,
  listingResult,
  type ResultClass,
  textResult,
} from "./result-kinds.ts"
export { type Dialect, keywordProblem } from "./schema-keywords.ts"
export type {
  DescribedSchema,
  Effect,
  InferInput,
  InputSchema,
  PathUse,
  Tool,
  ToolDefinition,
  ToolDescription,
} from "./tool.ts"
export { ToolFailure } from "./tool-failure.ts"
export { apiNameOf } from "./tool-names.ts"
export type {
  CommandEnding,
  Connection,
  DirectoryEntry,
  ExecOptions,
  ExecResult,
  FileStat,
  FileType,
  ImportOptions,
  KillOptions,
  MkdirOptions,
  OutputChunk,
  ProcessOutput,
  ProcessState,
  ProcessStatus,
  ReaddirOptions,
  ReadOptions,
  RemoveOptions,
  SignalOption,
  StartOptions,
  WaitOptions,
  Workspace,
  WorkspaceProcesses,
  WriteOptions,
} from "./workspace.ts"
