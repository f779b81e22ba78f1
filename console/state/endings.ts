import { signal } from "@preact/signals"
import { client } from "./client.ts"

/** The calls that this page has asked to end, and when. */
export const endings = signal<ReadonlyMap<string, number>>(new Map())

/** As many as a person may have ended in the last hours. */
const mostEndings = 100

export async function terminate(session: string, call: string): Promise<void> {
  const { terminated } = await client().request("calls.terminate", { session, call })
  // It had ended by itself.
  if (!terminated) return
  const kept = [...endings.value].slice(-mostEndings)
  endings.value = new Map([...kept, [call, Date.now()]])
}
