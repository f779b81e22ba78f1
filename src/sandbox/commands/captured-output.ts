import type { OutputChunk } from "../../contract/index.ts"
import { BoundedBytes } from "../../kit/index.ts"
import type { CommandOutcome } from "../host/operation.ts"

/** Both output streams of one command, captured within bounds. */
export class CapturedOutput {
  readonly #streams: Readonly<Record<OutputChunk["stream"], BoundedBytes>>

  constructor(maxBytes: number) {
    this.#streams = { stdout: new BoundedBytes(maxBytes), stderr: new BoundedBytes(maxBytes) }
  }

  push({ stream, bytes }: OutputChunk): void {
    this.#streams[stream].push(bytes)
  }

  captured(): Pick<CommandOutcome, "stdout" | "stderr"> {
    const capture = (bytes: BoundedBytes) => {
      return { head: bytes.head(), tail: bytes.tail(), omitted: bytes.omitted }
    }
    return { stdout: capture(this.#streams.stdout), stderr: capture(this.#streams.stderr) }
  }
}
