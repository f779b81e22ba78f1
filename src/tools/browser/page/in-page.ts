/**
 * A function for Playwright to run in a page. It is kept as text, since nothing of a page (no document, no
 * window) exists where this code is compiled, and text is what Playwright takes of a function anyway.
 */
export function inPage<Arguments extends readonly unknown[], Result>(
  script: string,
): (...given: Arguments) => Result {
  const run = (): Result => {
    throw new Error("This runs in a page only.")
  }
  run.toString = () => script
  return run
}
