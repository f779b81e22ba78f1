/** How the conformance suite measures a host. */
export const conformanceLimits = {
  /** Every check is ended after this long. */
  checkMs: 30_000,
  /** How long making or destroying a sandbox may take. */
  lifeMs: 10_000,
  concurrency: 4,
  /** How much later than its deadline a command may end on a busy machine. */
  lateMs: 3_000,
  /** How long a file must not grow before its writer counts as ended. */
  stillMs: 300,
} as const
