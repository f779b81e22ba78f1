// `toolkeep/testing`: the conformance suite for hosts, that for records, and replays of recorded sessions.
export { replaySession } from "../agent/index.ts"
export type { RecordStore } from "../store/index.ts"
export {
  type ConformanceCheck,
  type ConformanceOptions,
  type ConformanceReport,
  type ConformanceResult,
  conformanceChecks,
  recordChecks,
  runConformance,
} from "../testing/index.ts"
