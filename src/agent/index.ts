export { findFilesAt } from "./checkpoint-files.ts"
export { readRun } from "./context/read-conversation.ts"
export { createAgent } from "./create-agent.ts"
export type { RunLimits } from "./entries.ts"
export { openModel } from "./model/index.ts"
export type { ParkedAnswer, ParkedQuestion } from "./person.ts"
export { type ReplayReport, replaySession } from "./replay/replay-session.ts"
export type {
  Agent,
  AgentOptions,
  Clarify,
  Delta,
  RunResult,
  WaitingQuestion,
} from "./run-options.ts"
export { valueTool } from "./tools/check-value.ts"
