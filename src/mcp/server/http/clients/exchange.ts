/** One request over HTTP and its answer, as far as their connection is concerned. */
export interface Exchange {
  readonly request: Request
  /** Called when the answer has been handed to the system, or the connection is gone. */
  readonly onEnd: (callback: () => void) => void
  /** Says whose connection it is; false when that token has as many as it may. */
  readonly claim: (token: string) => boolean
  /** Ends the connection. */
  readonly cut: () => void
}
