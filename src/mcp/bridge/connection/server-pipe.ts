/** A running server on standard input and output, wherever it runs. */
export interface ServerPipe {
  write(text: string): Promise<void>
  /** Ends it and all that belongs to it. */
  close(): Promise<void>
}

export interface PipeListener {
  readonly onOutput: (bytes: Uint8Array) => void
  /** Once, with why in a sentence. */
  readonly onEnd: (why: string) => void
}

export type OpenPipe = (listener: PipeListener) => Promise<ServerPipe>
