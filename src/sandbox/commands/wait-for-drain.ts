import { limits } from "../../contract/index.ts"
import type { Clock } from "../../kit/index.ts"
import { afterEvents } from "./after-events.ts"
import type { CommandOutput } from "./command-output.ts"

/**
 * What was written before a command's exit is still read. Resolves with whether every writer has closed
 * its output; one that holds it open longer is not waited for.
 */
export async function waitForDrain(output: CommandOutput, clock: Clock): Promise<boolean> {
  const passed = Promise.withResolvers<false>()
  let cancel = () => {}
  const wait = () => {
    // Who reads slowly gets all there is: only a writer that stays is not waited for.
    const tooLong = () => (output.isHeldBack ? wait() : passed.resolve(false))
    cancel = afterEvents(clock, limits.drainMs, tooLong)
  }
  wait()
  const isClosed = await Promise.race([output.closed.then(() => true), passed.promise])
  cancel()
  return isClosed
}
