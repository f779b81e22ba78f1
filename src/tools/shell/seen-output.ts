import type { OutputChunk } from "../../contract/index.ts"
import { BoundedBytes } from "../../kit/index.ts"
import { decodeStream } from "../../sandbox/index.ts"

/** What a command has printed so far, for the case that it never gets to answer itself. */
export class SeenOutput {
  readonly #streams: Readonly<Record<OutputChunk["stream"], BoundedBytes>>

  constructor(maxBytes: number) {
    this.#streams = { stdout: new BoundedBytes(maxBytes), stderr: new BoundedBytes(maxBytes) }
  }

  push(chunk: OutputChunk): void {
    this.#streams[chunk.stream].push(chunk.bytes)
  }

  texts(): { readonly stdout: string; readonly stderr: string } {
    return { stdout: textOf(this.#streams.stdout), stderr: textOf(this.#streams.stderr) }
  }
}

function textOf(bytes: BoundedBytes): string {
  return decodeStream({ head: bytes.head(), tail: bytes.tail(), omitted: bytes.omitted }).text
}
