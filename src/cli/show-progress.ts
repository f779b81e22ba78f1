import type { RunningCall } from "../runtime/index.ts"
import type { Session } from "../session/index.ts"
import type { Terminal } from "./terminal.ts"

export interface Progress {
  stop(): void
  /** The command's output was shown while it ran, so it need not be shown again. */
  shown(): boolean
}

const firstTickMs = 700
const tickMs = 200

/** For a person who waits: output as it comes, or how long it has taken so far. */
export function showProgress(
  session: Session,
  running: RunningCall,
  { terminal, silent }: { readonly terminal: Terminal; readonly silent: boolean },
): Progress {
  if (silent || !terminal.showsProgress) return { stop: () => {}, shown: () => false }
  let shown = false
  let ticking = false
  const clear = () => {
    if (ticking) terminal.note("\r\x1b[K")
    ticking = false
  }
  const started = performance.now()
  const timer = setInterval(() => {
    const elapsed = performance.now() - started
    if (!shown && elapsed > firstTickMs) {
      ticking = true
      terminal.note(`\r${terminal.style("dim", `running, ${(elapsed / 1000).toFixed(1)} s`)}`)
    }
  }, tickMs)
  const stopListening = session.listen((event) => {
    if (event.callId !== running.id || event.kind !== "call-output") return
    clear()
    shown = true
    terminal.note(printable(new TextDecoder().decode(event.chunk.bytes)))
  })
  return {
    stop: () => {
      clearInterval(timer)
      stopListening()
      clear()
    },
    shown: () => shown,
  }
}

/** A sandboxed command must not steer the terminal of the person who watches it. */
export function printable(text: string): string {
  return text.replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, (character) =>
    character === "\r" ? "" : "\ufffd",
  )
}
