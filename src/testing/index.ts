export { conformanceChecks } from "./conformance-checks.ts"
export {
  type ConformanceCheck,
  ConformanceFailure,
  type ConformanceReport,
  type ConformanceResult,
  type Subject,
} from "./measure/conformance-check.ts"
export { type ConformanceOptions, runConformance } from "./run-conformance.ts"
export { type CheckOptions, runConformanceCheck } from "./run-conformance-check.ts"
