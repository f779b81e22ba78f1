/** Repeats that every engine allows. */
const mostRepeats = 1_000

/** A part that means the same everywhere, by what comes first: an escape, a class, a group, a repeat, or one character. */
const parts =
  /\\(?:[dDwWsSnrtfv]|x[0-9a-fA-F]{2}|[\^$\\.*+?()[\]{}|/])|\[(?!\^\])\^?(?:\\(?:[dDwWsSnrtfv]|x[0-9a-fA-F]{2}|[\^$\\.*+?()[\]{}|/-])|[^\\[\]])+\]|\\[bB]|\((?:\?:)?|\)|\{(\d{1,4})(?:,(\d{0,4}))?\}\??|[*+?]\??|[^\\[\](){}]/uy

/** Two classes in one, to engines of today or tomorrow. */
const setOperator = /&&|--|\|\||~~/

/**
 * Whether a pattern can be read by the engines that schemas meet on their way to a model: JavaScript with the u flag, Python's re
 * and RE2. A provider that can't read one refuses the whole request. Errs on the side of no.
 */
export function isPortablePattern(pattern: string): boolean {
  try {
    new RegExp(pattern, "u")
  } catch {
    return false
  }
  // RE2 counts repeats within repeats together.
  let repeats = 1
  let hasRepeatedGroup = false
  let before = ""
  for (let at = 0; at < pattern.length; ) {
    parts.lastIndex = at
    const found = parts.exec(pattern)
    if (found === null) return false
    const [part = "", least, most] = found
    if (part.startsWith("[") && setOperator.test(part)) return false
    if (least !== undefined) {
      const times = Number(most || least)
      if (times > mostRepeats) return false
      repeats *= Math.max(1, times)
      hasRepeatedGroup ||= before === ")"
    }
    // Python has no repeat of a place, and "**" is possessive or nothing.
    if (isRepeat(part) && /^(?:\\[bB]|\^|\$|\(|\(\?:)$/.test(before)) return false
    before = part
    at += part.length
  }
  return !hasRepeatedGroup || repeats <= mostRepeats
}

function isRepeat(part: string): boolean {
  return /^(?:[*+?]|\{)/.test(part)
}
