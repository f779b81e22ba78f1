export {
  type CutText,
  cutText,
  omissionNote,
  replaceOmissions,
  trimEndToCharacter,
  trimStartToCharacter,
} from "./envelope/cut-text.ts"
export {
  type AnyResult,
  failureMessage,
  isError,
  isSuccess,
  successPayload,
} from "./envelope/detect-envelope.ts"
export {
  type Envelope,
  type Failure,
  type FailureDetails,
  failure,
  type Success,
  success,
} from "./envelope/envelope.ts"
export { type FailureKind, failureKinds, isFailureKind } from "./envelope/failure-kinds.ts"
export { fitResult } from "./envelope/fit-result.ts"
export { failureFrom, machineProblem, ownFileProblem } from "./envelope/from-error.ts"
export {
  classifyResult,
  collapseListing,
  listingResult,
  type ResultClass,
  textResult,
} from "./envelope/result-kinds.ts"
export { readReturned, type ToolResult } from "./envelope/returned-answer.ts"
export { ToolFailure } from "./envelope/tool-failure.ts"
export { type FieldStep, fieldSteps, mayHaveField } from "./input/argument-field.ts"
export { type Checked, createInputCheck, type InputCheck } from "./input/check-input.ts"
export { isDeeperThan } from "./input/input-depth.ts"
export { type CallLimits, defaultCallLimits, limits } from "./limits.ts"
export { createStream, type PayloadStream, type StreamEvent } from "./payloads/create-stream.ts"
export type { Dispatch, Payload, PayloadResults } from "./payloads/payload.ts"
export { createDispatch } from "./payloads/payload.ts"
export { createForModel } from "./render/for-model.ts"
export { readMarkers } from "./render/legacy-markers.ts"
export { modelSchema } from "./render/model-schema.ts"
export {
  type EnvelopeFormat,
  type RenderedEnvelopes,
  renderEnvelope,
} from "./render/render-envelope.ts"
export { dataUrl, type ResultImage } from "./render/render-for-providers.ts"
export {
  type AnthropicTool,
  type McpTool,
  type RenderedTools,
  renderTools,
  type ToolFormat,
  toolFormats,
} from "./render/render-tools.ts"
export { showLines, showResult } from "./render/show-result.ts"
export {
  choice,
  flag,
  integer,
  mayBeBlank,
  object,
  text,
  withoutProperties,
} from "./schema/build-schema.ts"
export { checkSchema, dialectOf } from "./schema/check-schema.ts"
export { closeObjects } from "./schema/close-objects.ts"
export { copyInput } from "./schema/copy-input.ts"
export { DefinitionError } from "./schema/definition-error.ts"
export { isObject, isPlainObject, parseJson, parseObject } from "./schema/json.ts"
export type { InferSchema, InferSent, JsonSchema } from "./schema/json-schema.ts"
export { loosenSchema } from "./schema/loosen-schema.ts"
export { type Dialect, keywordProblem } from "./schema/schema-keywords.ts"
export { childSchemas, followReference, mapSchemas } from "./schema/schema-walk.ts"
export { asTool, defineTool, defineTrusted, noPaths, noSandbox } from "./tool/define-tool.ts"
export { readAnswer } from "./tool/read-answer.ts"
export { type Refined, refineInput } from "./tool/standard-schema.ts"
export type {
  CallContext,
  CallSession,
  DescribedSchema,
  Effect,
  PathUse,
  ResultView,
  Tool,
  ToolDefinition,
  ToolDescription,
} from "./tool/tool.ts"
export { apiNameOf } from "./tool/tool.ts"
export type { AsTool, ToolObject } from "./tool/tool-object.ts"
export type {
  Capabilities,
  CodeLanguage,
  Network,
  SandboxLimits,
} from "./workspace/capabilities.ts"
export { commonPrograms } from "./workspace/capabilities.ts"
export type {
  CallEffects,
  ChangedFile,
  FileChange,
  FileEffects,
  FileText,
  LeftProcess,
  Listed,
  MemoryEffects,
  NetworkEffects,
  NetworkUse,
  Unknown,
} from "./workspace/effects.ts"
export { changesTogether } from "./workspace/effects.ts"
export {
  checkPath,
  isInside,
  requirePath,
  resolvePath,
  sandboxHome,
} from "./workspace/path-rules.ts"
export {
  optionalString,
  requireInteger,
  requireObject,
  requireString,
  requireStringArray,
} from "./workspace/require-argument.ts"
export type {
  CommandEnding,
  Connection,
  DirectoryEntry,
  ExecOptions,
  ExecResult,
  FileStat,
  FileType,
  OutputChunk,
  ProcessOutput,
  ProcessState,
  ProcessStatus,
  Terminal,
  TerminalEnding,
  TerminalOptions,
  Workspace,
} from "./workspace/workspace.ts"
