import type { Capabilities } from "../../../contract/index.ts"
import { findProgram } from "../../../node/index.ts"

/** What this machine runs code with. JavaScript is run by the Node that this process is. */
export function findLanguages(path: string): Capabilities["languages"] {
  const javascript = [process.execPath, "-e"]
  return {
    // "--" ends bash's options: the code may itself begin with a dash.
    ...(findProgram("bash", path) && { bash: ["bash", "--noprofile", "--norc", "-c", "--"] }),
    javascript,
    // Node then takes types away from code that is none without.
    ...(process.features.typescript && { typescript: javascript }),
    ...(findProgram("python3", path) && { python: ["python3", "-c"] }),
  }
}
