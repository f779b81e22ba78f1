import { Script } from "node:vm"
import { errorCode } from "../../kit/index.ts"

const slot = Symbol.for("toolkeep.reactive.call")

/** Only what a script calls can be ended while it loops. */
const script = new Script('globalThis[Symbol.for("toolkeep.reactive.call")]()')

let isCalling = false

/**
 * Calls what may loop for ever, and throws where it has not returned in time. What it calls is then ended without its
 * `finally`: it must not be called while others rely on that.
 */
export function callWithin<T>(timeoutMs: number, work: () => T): T {
  // The outermost time counts.
  if (isCalling) return work()
  let returned: { readonly value: T } | undefined
  const call = () => {
    returned = { value: work() }
  }
  isCalling = true
  Object.defineProperty(globalThis, slot, { value: call, configurable: true })
  try {
    script.runInThisContext({ timeout: timeoutMs, displayErrors: false })
  } catch (error) {
    if (errorCode(error) !== "ERR_SCRIPT_EXECUTION_TIMEOUT") throw error
    const seconds = Math.round(timeoutMs / 1000)
    throw new Error(
      `The body of this pattern has not returned within ${seconds} s: something in it loops.`,
    )
  } finally {
    isCalling = false
    Reflect.deleteProperty(globalThis, slot)
  }
  if (!returned) throw new Error("What was called has not ended.")
  return returned.value
}
