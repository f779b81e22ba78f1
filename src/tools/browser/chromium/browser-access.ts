import type { CallContext } from "../../../contract/index.ts"
import type { SessionPreviews } from "../../session-previews.ts"
import type { ToolDeps } from "../../tool-deps.ts"
import type { Visit } from "../page/visit.ts"
import { missingBrowser } from "./find-chromium.ts"
import type { SessionBrowser } from "./session-browser.ts"

/** The session's browser, as its tools reach it. */
export interface BrowserAccess {
  readonly unavailableReason: () => string | null
  /** Starts the browser when there is none. Calls run one after the other. */
  use<Result>(context: CallContext, act: (visit: Visit) => Promise<Result>): Promise<Result>
  /** Ends the browser; false when there was none. */
  end(context: CallContext): Promise<boolean>
}

/** Light: Playwright is loaded by the first call. */
export function browserAccess(parts: ToolDeps, previews: SessionPreviews): BrowserAccess {
  let browser: Promise<SessionBrowser> | undefined

  async function open(): Promise<SessionBrowser> {
    const { createSessionBrowser } = await import("./session-browser.ts")
    const opened = createSessionBrowser({ ...parts, previews })
    parts.onClose(() => opened.close())
    return opened
  }

  const opened = () => {
    browser ??= open()
    return browser
  }

  return {
    unavailableReason: missingBrowser(parts.settings.browser),
    use: async (context, act) => (await opened()).use(context, act),
    end: async (context) => (await opened()).end(context.signal),
  }
}
