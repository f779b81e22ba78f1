import type { Defer } from "../session/index.ts"
import { Misuse } from "./misuse.ts"

const choices: readonly Defer[] = ["on", "off", "auto"]

/** `--defer`. */
export function readDefer(given: string | undefined): Defer | undefined {
  const choice = choices.find((one) => one === given)
  if (given === undefined || choice) return choice
  throw new Misuse(`--defer takes on, off or auto; not ${JSON.stringify(given)}.`)
}
