export type {
  ConformanceCheck,
  ConformanceReport,
  ConformanceResult,
  Subject,
} from "./conformance-check.ts"
export { conformanceChecks } from "./conformance-checks.ts"
export { ConformanceFailure } from "./conformance-failure.ts"
export { type ConformanceOptions, runConformance } from "./run-conformance.ts"
export { type CheckOptions, runConformanceCheck } from "./run-conformance-check.ts"
