import { isSandboxName } from "../sandbox/index.ts"
import { Misuse } from "./misuse.ts"
import type { Arguments } from "./read-arguments.ts"

/** `--sandbox`. */
export function readSandbox(given: Arguments): string | undefined {
  const sandbox = given.text("sandbox")
  if (sandbox === undefined || isSandboxName(sandbox)) return sandbox
  throw new Misuse(
    `${JSON.stringify(sandbox)} can't name a sandbox: use lower-case letters, digits, "-" and "_", such as "build".`,
  )
}
