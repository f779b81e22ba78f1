import type { OutputChunk } from "../../../contract/index.ts"
import { BoundedBytes } from "../../../kit/index.ts"
import type { CapturedStream, CommandOutcome, OperationControl } from "../../host/operation.ts"

/** What a command printed: shown to the caller and kept as far as the limit allows. */
export class CollectedOutput {
  readonly #streams: Readonly<Record<OutputChunk["stream"], BoundedBytes>>
  readonly #onOutput: OperationControl["onOutput"]
  #failure: { readonly error: unknown } | null = null

  constructor(limitBytes: number, onOutput: OperationControl["onOutput"]) {
    this.#streams = { stdout: new BoundedBytes(limitBytes), stderr: new BoundedBytes(limitBytes) }
    this.#onOutput = onOutput
  }

  push(chunk: OutputChunk): void {
    this.#streams[chunk.stream].push(chunk.bytes)
    try {
      this.#onOutput(chunk)
    } catch (error) {
      // Output arrives in an event; thrown there, the error would end the process.
      this.#failure ??= { error }
    }
  }

  captured(): Pick<CommandOutcome, "stdout" | "stderr"> {
    if (this.#failure) throw this.#failure.error
    return { stdout: capture(this.#streams.stdout), stderr: capture(this.#streams.stderr) }
  }
}

function capture(bytes: BoundedBytes): CapturedStream {
  return { head: bytes.head(), tail: bytes.tail(), omitted: bytes.omitted }
}
