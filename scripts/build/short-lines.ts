import type { Rolldown } from "tsdown"

/**
 * Starts each statement of a module on a line of its own. Node prints the line of an
 * error that nobody catches, and a minified chunk has lines of a hundred thousand characters.
 */
export function shortLines(): Rolldown.Plugin {
  return {
    name: "short-lines",
    generateBundle(_options, bundle) {
      for (const file of Object.values(bundle)) {
        if (file.type !== "chunk" || !file.fileName.endsWith(".js")) continue
        const { body } = this.parse(file.code)
        const starts = body.map(({ start }) => start)
        const pieces = starts.map((start, index) => file.code.slice(start, starts[index + 1]))
        file.code = [
          file.code.slice(0, starts[0]),
          ...pieces.map((piece) => `${piece.trimEnd()}\n`),
        ].join("")
      }
    },
  }
}
