/** An argument list as a command line that a POSIX shell reads back as exactly that list. */
export function quoteArguments(words: readonly string[]): string {
  return words.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ")
}
