import { ToolFailure } from "../../../contract/index.ts"
import { browserLimits } from "../../limits.ts"
import { LateAnswer } from "../page/within.ts"

/** What went wrong: said already, or to be explained once it is known what became of the page. */
export type BrowserFailure =
  | { readonly kind: "said"; readonly error: unknown }
  | { readonly kind: "unsaid"; explain(consequence: string): unknown }

export interface FailureSituation {
  readonly signal: AbortSignal
  readonly isRunning: boolean
  /** What is known of why something in the browser ended: a sentence after a space, or nothing. */
  readonly problem: string
}

/** Playwright's errors as failures of a call. */
export function browserFailure(error: unknown, situation: FailureSituation): BrowserFailure {
  const { signal, isRunning, problem } = situation
  if (signal.aborted) return { kind: "unsaid", explain: () => signal.reason }
  if (error instanceof ToolFailure) return { kind: "said", error }
  if (!isRunning) {
    const message = `Chromium exited unexpectedly.${problem} The next call starts a new one, with no page.`
    return { kind: "said", error: new ToolFailure({ kind: "unavailable", message }) }
  }
  return { kind: "unsaid", explain: (consequence) => explained(error, { consequence, problem }) }
}

function explained(
  error: unknown,
  { consequence, problem }: { readonly consequence: string; readonly problem: string },
): ToolFailure {
  const { name, message } = error instanceof Error ? error : new Error(String(error))
  const sentence = plainSentence(message)
  if (name === "TimeoutError" || error instanceof LateAnswer) {
    return new ToolFailure({ kind: "timeout", message: `${sentence}${consequence}` })
  }
  if (/Target crashed|Page crashed/.test(message)) {
    return new ToolFailure({
      kind: "unavailable",
      message: `The page crashed, and its tab was closed.${problem} Navigate again, or to another page.`,
    })
  }
  if (/Target page, context or browser has been closed/.test(message)) {
    const said = `The page was closed meanwhile.${problem} See browser.tabs for those that are open.`
    return new ToolFailure({ kind: "execution_error", message: said })
  }
  return new ToolFailure({ kind: "execution_error", message: `${sentence}${consequence}` })
}

const colours = /\u001b\[[0-9;]*m/g

/**
 * The first line without the name of Playwright's method; of the log below it the last line, which says
 * what was waited for.
 */
function plainSentence(message: string): string {
  const [first = "", ...rest] = message.replace(colours, "").split("\n")
  const lines = rest.map((line) => line.replace(/^[\s\-–]+/, "").trim())
  const hindrance = lines.find((line) =>
    /intercepts|not visible|not enabled|not stable|outside/.test(line),
  )
  const what = first.replace(/^(?:page|locator|frame|elementHandle|jsHandle)\.\w+: /, "")
  const sentence = hindrance === undefined ? what : `${what} ${hindrance}.`
  const shown = sentence.slice(0, browserLimits.shownCharacters)
  return /[.!?]$/.test(shown) ? shown : `${shown}.`
}
