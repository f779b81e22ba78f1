import type { Workspace } from "../../contract/index.ts"
import { requireThat } from "./require.ts"

/** Runs what a check needs before it can measure; fails when it does not work. */
export async function prepare(
  workspace: Workspace,
  script: string,
  env: Readonly<Record<string, string>> = {},
): Promise<void> {
  const { exitCode, stderr } = await workspace.exec(script, { env })
  requireThat(exitCode === 0, `the preparation failed with ${exitCode}: ${stderr.trim()}`)
}
