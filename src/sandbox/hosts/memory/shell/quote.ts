/** A word as it must be written for the shell to read exactly that word. */
export function quote(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`
}
