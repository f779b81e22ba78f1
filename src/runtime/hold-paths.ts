import { type PathUse, resolvePath, type Workspace } from "../contract/index.ts"
import type { KeyedLock } from "../kit/index.ts"

/**
 * Waits until no other call uses these paths in a way that conflicts. Locks are taken in one order
 * everywhere, so that two calls never wait for each other.
 */
export async function holdPaths(
  locks: KeyedLock,
  uses: readonly PathUse[],
  { workspace, signal }: { readonly workspace: Workspace; readonly signal: AbortSignal },
): Promise<() => void> {
  const strongest = new Map<string, "shared" | "exclusive">()
  for (const { path, mode } of uses) {
    const key = `${workspace.name}:${resolvePath(workspace.cwd, path)}`
    if (mode === "write") strongest.set(key, "exclusive")
    else if (!strongest.has(key)) strongest.set(key, "shared")
  }
  const held: (() => void)[] = []
  const releaseAll = () => {
    for (const release of held) release()
  }
  try {
    for (const [key, mode] of [...strongest].sort(([a], [b]) => (a < b ? -1 : 1))) {
      held.push(await locks.acquire(key, mode, signal))
    }
  } catch (error) {
    releaseAll()
    throw error
  }
  return releaseAll
}
