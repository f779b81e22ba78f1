/** A broken promise; the message says what was measured. */
export class ConformanceFailure extends Error {
  override readonly name = "ConformanceFailure"
}
