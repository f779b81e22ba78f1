// `toolkeep/core`: checks, judges and runs tools without Node, in a worker or a browser.
export {
  classifyResult,
  collapseListing,
  DefinitionError,
  defineTool,
  type EnvelopeFormat,
  failureKinds,
  limits,
  listingResult,
  type RenderedEnvelopes,
  type RenderedTools,
  type ResultClass,
  renderEnvelope,
  renderTools,
  ToolFailure,
  type ToolFormat,
  textResult,
} from "../contract/index.ts"
export {
  createPolicy,
  type Explanation,
  type Policy,
  parsePolicyYaml,
  type Verdict,
} from "../policy/index.ts"
export {
  type CallRequest,
  createRuntime,
  type Runtime,
  type RuntimeOptions,
  ToolRegistry,
} from "../runtime/index.ts"
