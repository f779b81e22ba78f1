import {
  type CallLimits,
  defineTool,
  integer,
  object,
  ToolFailure,
  text,
} from "../../../contract/index.ts"
import { sleep } from "../../../kit/index.ts"
import { waitRange } from "../../arguments.ts"
import { browserLimits } from "../../limits.ts"
import type { BrowserAccess } from "../chromium/browser-access.ts"
import { type PageResult, pageSchema, quoted, showPage } from "../page/page-result.ts"
import type { Visit } from "../page/visit.ts"

/** browser.wait: until something is on the page, is gone, or time has passed. */
export function waitTool(browser: BrowserAccess, held: CallLimits) {
  return defineTool({
    name: "browser.wait",
    title: "Wait for the page",
    description:
      "Waits until a text is visible or gone, until the page's address contains something, or for some time; " +
      'for several, one after the other. Example: {"text": "Saved", "ms": 10000}.',
    input: {
      ...object({
        "text?": text("To be visible.", { maxLength: 1_000 }),
        "text_gone?": text('To be gone, such as "Loading".', {
          maxLength: 1_000,
        }),
        "url?": text('To be in the address, such as "/done".', {
          maxLength: browserLimits.urlCharacters,
        }),
        "ms?": integer("So long; with another condition, at most.", {
          minimum: 1,
          maximum: waitRange(held, browserLimits.waitMsMost).maximum,
        }),
      }),
      minProperties: 1,
    },
    output: pageSchema,
    groups: ["web"],
    effects: ["read"],
    unavailableReason: browser.unavailableReason,
    run: (input, context) => browser.use(context, (visit) => waitFor(visit, input)),
    show: showPage,
  })
}

interface Conditions {
  readonly text?: string
  readonly text_gone?: string
  readonly url?: string
  readonly ms?: number
}

/** Waits for one condition after the other; without any, for time to pass. */
async function waitFor(visit: Visit, conditions: Conditions): Promise<PageResult> {
  const { text, text_gone: gone, url, ms } = conditions
  const { signal } = visit
  const page = await visit.page()
  if (text === undefined && gone === undefined && url === undefined) {
    await sleep(ms ?? 0, { signal })
    return visit.result()
  }
  const deadline = Date.now() + (ms ?? browserLimits.navigateMs)
  const options = () => ({ timeout: Math.max(1, deadline - Date.now()), signal })
  const visible = (words: string) => page.getByText(words).filter({ visible: true }).first()
  if (url !== undefined) {
    const waiting = page.waitForURL((address) => address.href.includes(url), {
      ...options(),
      waitUntil: "commit",
    })
    await met(visit, waiting, `the address did not contain ${quoted(url)}`)
  }
  if (text !== undefined) {
    await met(visit, visible(text).waitFor(options()), `${quoted(text)} was not visible`)
  }
  if (gone !== undefined) {
    const waiting = visible(gone).waitFor({ state: "hidden", ...options() })
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
    const message = `Timed out: ${otherwise}. Look at the page with browser.snapshot.`
    throw new ToolFailure({ kind: "timeout", message })
  }
}
