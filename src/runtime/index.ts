export {
  type ApprovalAnswer,
  type ApprovalRequest,
  type Approver,
  askEveryone,
} from "./approval.ts"
export { deniedBecause } from "./ask-approval.ts"
export { CallParked } from "./call-parked.ts"
export type { CallRecorder, RecordedCall } from "./call-recorder.ts"
export type {
  AnswerForm,
  CallRequest,
  CallWork,
  ReplacedTool,
  RunningCall,
  SandboxObservation,
} from "./call-request.ts"
export { createRuntime, type Runtime, type RuntimeOptions } from "./create-runtime.ts"
export { describeBriefly } from "./describe-question.ts"
export { describeValue } from "./describe-value.ts"
export type { CallEvent } from "./events.ts"
export { ToolRegistry } from "./registry.ts"
export type { AdmitCall } from "./runtime-deps.ts"
