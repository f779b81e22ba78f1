import type { Host } from "../../sandbox/index.ts"
import { requireFailure } from "./require.ts"

/** A snapshot or checkpoint for as long as the work takes. */
export async function withTaken<T>(
  host: Host,
  taken: Promise<string>,
  work: (id: string) => Promise<T>,
): Promise<T> {
  const id = await taken
  try {
    return await work(id)
  } finally {
    await host.removeSnapshot(id)
  }
}

export async function requireUnknown(host: Host, what: string, from: string): Promise<void> {
  const made = host.create({ name: "unknown", from }).then((sandbox) => sandbox.destroy())
  await requireFailure(what, made, "invalid_args")
}
