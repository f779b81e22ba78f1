/** The longest single argument that Linux passes to a program is 128 KiB; a UTF-16 unit is at most 3 bytes. */
const unitsPerArgument = 40_000

const join = 'printf -v toolkeep_text %s "$@"; set --; eval "unset toolkeep_text; $toolkeep_text"'

/** What follows `bash -c` for a script of any length, which then is called "bash". */
export function scriptArguments(script: string): readonly string[] {
  if (script.length <= unitsPerArgument) return [script, "bash"]
  return [join, "bash", ...slices(script)]
}

function slices(text: string): string[] {
  const all: string[] = []
  for (let start = 0; start < text.length; ) {
    let end = Math.min(text.length, start + unitsPerArgument)
    // Both halves of a surrogate pair stay together, or each would become a replacement character.
    if (isHighSurrogate(text.charCodeAt(end - 1)) && end < text.length) end -= 1
    all.push(text.slice(start, end))
    start = end
  }
  return all
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00
}
