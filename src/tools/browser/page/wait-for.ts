import { setTimeout as pause } from "node:timers/promises"
import { limits, ToolFailure } from "../../../contract/index.ts"
import { quoted } from "./page-events.ts"
import type { PageResult } from "./page-result.ts"
import type { Visit } from "./visit.ts"

export interface Conditions {
  readonly text?: string
  readonly text_gone?: string
  readonly url?: string
  readonly ms?: number
}

/** Waits for one condition after the other; without any, for time to pass. */
export async function waitFor(visit: Visit, conditions: Conditions): Promise<PageResult> {
  const { text, text_gone: gone, url, ms } = conditions
  const page = await visit.page()
  const { signal } = visit
  if (text === undefined && gone === undefined && url === undefined) {
    await pause(ms, undefined, { signal })
    return visit.result()
  }
  const deadline = Date.now() + (ms ?? limits.browser.navigateMs)
  const options = () => ({ timeout: Math.max(1, deadline - Date.now()), signal })
  if (url !== undefined) {
    const waiting = page.waitForURL((address) => address.href.includes(url), {
      ...options(),
      waitUntil: "commit",
    })
    await met(visit, waiting, `the address did not contain ${quoted(url)}`)
  }
  if (text !== undefined) {
    const waiting = page.getByText(text).filter({ visible: true }).first().waitFor(options())
    await met(visit, waiting, `${quoted(text)} was not visible`)
  }
  if (gone !== undefined) {
    const shown = page.getByText(gone).filter({ visible: true }).first()
    const waiting = shown.waitFor({ state: "hidden", ...options() })
    await met(visit, waiting, `${quoted(gone)} was still visible`)
  }
  return visit.result()
}

async function met(visit: Visit, waiting: Promise<unknown>, otherwise: string): Promise<void> {
  try {
    await waiting
  } catch (error) {
    visit.signal.throwIfAborted()
    if (!(error instanceof Error) || error.name !== "TimeoutError") throw error
    const message = `Waited in vain: ${otherwise}. Look at the page with browser.snapshot.`
    throw new ToolFailure({ kind: "timeout", message })
  }
}
