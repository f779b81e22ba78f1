// `toolkeep/testing`: the conformance suite for hosts.
export {
  type ConformanceCheck,
  type ConformanceOptions,
  type ConformanceReport,
  type ConformanceResult,
  conformanceChecks,
  runConformance,
} from "../testing/index.ts"
