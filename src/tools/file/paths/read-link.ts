import type { Workspace } from "../../../contract/index.ts"

/** Where a symbolic link leads, as it says itself; null for what is none. */
export async function readLink(
  workspace: Workspace,
  path: string,
  signal: AbortSignal,
): Promise<string | null> {
  const script = `if [[ -L $FILE ]]; then readlink -- "$FILE"; fi`
  const { exitCode, stdout } = await workspace.exec(script, { env: { FILE: path }, signal })
  return exitCode === 0 && stdout !== "" ? stdout.replace(/\n$/, "") : null
}
