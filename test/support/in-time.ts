/**
 * Checks what a command does until a deadline that is short, for what it waits is lost. Where that was too short for a
 * busy machine, which is slow to start a command, it checks again with a longer one.
 */
export async function inTime(
  check: (timeoutMs: number) => Promise<void>,
  first = 300,
): Promise<void> {
  for (const timeoutMs of [first, 4 * first]) {
    const failure = await check(timeoutMs).catch((error: unknown) => ({ error }))
    if (failure === undefined) return
  }
  await check(40 * first)
}
