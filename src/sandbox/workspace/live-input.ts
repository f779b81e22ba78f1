/** Input that comes while a command runs. */
export interface LiveInput {
  readonly readable: ReadableStream<Uint8Array>
  /** Resolves when it was taken, and at once when nobody takes it any more. */
  write(input: string | Uint8Array): Promise<void>
  /** The command finds the end of its input, after what was written. */
  end(): Promise<void>
}

const encoder = new TextEncoder()

export function openInput(): LiveInput {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
  const writer = writable.getWriter()
  const ignore = () => {}
  writer.closed.catch(ignore)
  return {
    readable,
    write: (input) =>
      writer.write(typeof input === "string" ? encoder.encode(input) : input).catch(ignore),
    end: () => writer.close().catch(ignore),
  }
}
