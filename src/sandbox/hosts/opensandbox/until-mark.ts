/** One stream of a wrapped command: the bytes before its mark, and what follows it. */
export interface MarkedStream {
  /** The bytes that are the command's own. */
  add(bytes: Uint8Array): Uint8Array
  /** What follows the mark so far; null before it. */
  rest(): string | null
}

/** Only what may be the beginning of the mark is held back, so that output is shown when it comes. */
export function untilMark(mark: string): MarkedStream {
  const sought = Buffer.from(mark)
  let held: Buffer = Buffer.alloc(0)
  let rest: string | null = null
  return {
    add(bytes) {
      if (rest !== null) {
        rest += Buffer.from(bytes).toString("latin1")
        return new Uint8Array()
      }
      const all = Buffer.concat([held, bytes])
      const at = all.indexOf(sought)
      if (at >= 0) {
        rest = all.subarray(at + sought.length).toString("latin1")
        return all.subarray(0, at)
      }
      const begun = beginningAtEnd(all, sought)
      held = all.subarray(all.length - begun)
      return all.subarray(0, all.length - begun)
    },
    rest: () => rest,
  }
}

/** How many bytes at the end may be the beginning of what is sought. */
function beginningAtEnd(all: Buffer, sought: Buffer): number {
  for (let length = Math.min(all.length, sought.length - 1); length > 0; length -= 1) {
    if (all.subarray(all.length - length).equals(sought.subarray(0, length))) return length
  }
  return 0
}
