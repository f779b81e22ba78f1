import { appends, bodies, branches, order } from "./record/entries.ts"
import { following } from "./record/following.ts"
import { fencing, owners } from "./record/owners.ts"
import { positions } from "./record/positions.ts"
import type { RecordCheck } from "./record/record-check.ts"
import { outputs, questions, sessions } from "./record/sessions.ts"

/**
 * Every promise of a record store, by topic. In a test runner each check can be a test of its own:
 *
 * ```ts
 * for (const check of recordChecks) {
 *   it(check.promise, () => check.run(openMyStore))
 * }
 * ```
 */
export const recordChecks: readonly RecordCheck[] = [
  ...order,
  ...branches,
  ...appends,
  ...bodies,
  ...fencing,
  ...owners,
  ...following,
  ...positions,
  ...outputs,
  ...questions,
  ...sessions,
]
