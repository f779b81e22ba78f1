const deadlines = [500, 3_000]

/**
 * Runs with a short deadline, and with a longer one when the command had not got far enough: a machine
 * that is busy starts commands slowly, and that breaks no promise.
 */
export async function withGrowingDeadline(
  attempt: (timeoutMs: number) => Promise<boolean>,
): Promise<void> {
  for (const timeoutMs of deadlines) {
    if (await attempt(timeoutMs)) return
  }
}
