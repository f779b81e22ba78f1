import type { OutputChunk } from "../../contract/index.ts"
import { createPieces } from "../output/show-progress.ts"

/** As much of an output as its last lines may need. */
const mostCharacters = 4_000

/** The last lines of what a call prints. */
export class OutputLines {
  readonly #pieces = { stdout: createPieces(), stderr: createPieces() }
  #text = ""

  add({ stream, bytes }: OutputChunk): void {
    this.#text = (this.#text + this.#pieces[stream].add(bytes)).slice(-mostCharacters)
  }

  /** A line that was overwritten, such as a progress bar, is given as it is shown now. */
  last(count: number): readonly string[] {
    const lines = this.#text.replaceAll("\r\n", "\n").split("\n")
    const shown = lines.map((line) => line.replace(/\r$/, "").replace(/^.*\r/s, "").trimEnd())
    return shown.filter((line) => line !== "").slice(-count)
  }
}
