export { conformanceChecks } from "./conformance-checks.ts"
export {
  type ConformanceCheck,
  ConformanceFailure,
  type ConformanceReport,
  type ConformanceResult,
} from "./measure/conformance-check.ts"
export type { RecordProcess } from "./record/record-check.ts"
export { recordChecks } from "./record-checks.ts"
export { type ConformanceOptions, runConformance } from "./run-conformance.ts"
export { runConformanceCheck } from "./run-conformance-check.ts"
