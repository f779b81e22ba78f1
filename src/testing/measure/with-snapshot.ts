import type { Host, Sandbox } from "../../sandbox/index.ts"

/** A snapshot for as long as the work takes. */
export async function withSnapshot<T>(
  host: Host,
  sandbox: Sandbox,
  work: (snapshot: string) => Promise<T>,
): Promise<T> {
  const snapshot = await sandbox.snapshot()
  try {
    return await work(snapshot)
  } finally {
    await host.removeSnapshot(snapshot)
  }
}
