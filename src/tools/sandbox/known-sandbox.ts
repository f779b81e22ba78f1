import { ToolFailure } from "../../contract/index.ts"
import type { Pool } from "../../sandbox/index.ts"

/** Whether it may have files. The default one may be a directory of this machine, which has some before its first use. */
export function isKnown(sandboxes: Pool, name: string): boolean {
  return name === "default" || sandboxes.list().some((sandbox) => sandbox.name === name)
}

/** Refuses the name of a sandbox that nobody has made, as in a transfer from one that has no files. */
export function requireKnown(sandboxes: Pool, name: string, field: string): void {
  const names = sandboxes.list().map((sandbox) => sandbox.name)
  if (names.includes(name)) return
  throw new ToolFailure({
    kind: "not_found",
    message: `There is no sandbox ${JSON.stringify(name)}.`,
    field,
    expected: names.length > 0 ? `one of ${names.join(", ")}` : "none was made yet",
  })
}
