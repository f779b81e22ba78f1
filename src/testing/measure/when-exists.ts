import { setTimeout as pause } from "node:timers/promises"
import type { Subject } from "../conformance-check.ts"

/** Resolves when a command has made this file, which shows how far it has got. */
export async function whenExists(
  { workspace, signal }: Pick<Subject, "workspace" | "signal">,
  path: string,
): Promise<void> {
  while (!(await workspace.exists(path, { signal }))) await pause(20, undefined, { signal })
}
