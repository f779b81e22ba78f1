/** The command line was wrong: said in a sentence on standard error, exit code 2. */
export class Misuse extends Error {
  override readonly name = "Misuse"
}
