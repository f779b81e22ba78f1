import { once } from "node:events"
import type { Questions } from "../../http/index.ts"
import type { Terminal } from "../output/terminal.ts"
import { askByKeys } from "./ask-by-keys.ts"
import { canHearKeys, hearKeys } from "./hear-keys.ts"
import { openLink } from "./open-link.ts"

export interface Serving {
  readonly server: { close(): Promise<void> }
  /** A fresh link for the browser; null where there is no page. */
  readonly link: (() => string) | null
  /** What waits for a person, to be answered at the terminal too. */
  readonly questions: Questions
  /** Aborts when the process is asked to stop. */
  readonly signal: AbortSignal
  /** Takes back what other commands find the server by. */
  readonly withdraw: () => void
  /** What is said when it stops. */
  readonly stopping: string
}

/** Serves until the process is asked to stop, and closes the server. */
export async function serveUntilStopped(terminal: Terminal, serving: Serving): Promise<void> {
  const { server, link, questions, signal, withdraw, stopping } = serving
  terminal.outliveOutput()
  // Nobody is asked at a terminal that nobody can answer at.
  const answers = canHearKeys(terminal) ? askByKeys(terminal, questions) : null
  const stopKeys = hearKeys(terminal, (key) => {
    if (key === "o" && link) openLink(terminal, link())
    else answers?.press(key)
  })
  if (!signal.aborted) await once(signal, "abort")
  stopKeys()
  answers?.stop()
  withdraw()
  terminal.note(`toolkeep: ${stopping}; press again to exit at once\n`)
  await server.close()
}

/** Where calls run, and why there where another place was expected. */
export function hostLines({ style }: Terminal, { host, fallback }: ServedHost): readonly string[] {
  return [
    `Sandboxes: ${host.name}. ${host.summary}`,
    ...(fallback === null ? [] : [style("yellow", fallback)]),
  ]
}

interface ServedHost {
  readonly host: { readonly name: string; readonly summary: string }
  readonly fallback: string | null
}
