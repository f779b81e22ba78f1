import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"

/** The function that frees what nothing refers to any more; without it, garbage counts as used memory. */
export function captureGarbageCollector(): () => void {
  setFlagsFromString("--expose-gc")
  return runInNewContext("gc")
}
