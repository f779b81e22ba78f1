import type { RunningCall } from "../../runtime/index.ts"
import type { Session } from "../../session/index.ts"
import type { Terminal } from "./terminal.ts"

const firstTickMs = 700
const tickMs = 200

/** For a person who waits: output as it arrives, or how long it has taken so far. */
export function showProgress(
  session: Session,
  running: RunningCall,
  { terminal, silent }: { readonly terminal: Terminal; readonly silent: boolean },
) {
  if (silent || !terminal.showsProgress) return { stop: () => {}, shown: () => false }
  let shown = false
  let ticking = false
  let isAsking = false
  const clear = () => {
    if (ticking) terminal.status(null)
    ticking = false
  }
  const output = { stdout: createPieces(), stderr: createPieces() }
  const started = performance.now()
  const timer = setInterval(() => {
    const elapsed = performance.now() - started
    if (!(shown || isAsking) && elapsed > firstTickMs) {
      ticking = true
      terminal.status(terminal.style("dim", `running, ${(elapsed / 1000).toFixed(1)} s`))
    }
  }, tickMs)
  const stopListening = session.listen((event) => {
    if (event.kind === "approval-requested") {
      clear()
      isAsking = true
    }
    if (event.kind === "approval-answered") isAsking = false
    if (event.kind !== "call-output" || event.callId !== running.id) return
    clear()
    shown = true
    const { stream, bytes } = event.chunk
    terminal.note(output[stream].add(bytes))
  })
  return {
    stop: () => {
      clearInterval(timer)
      stopListening()
      clear()
      terminal.note(output.stdout.end() + output.stderr.end())
    },
    /** The command's output was shown while it ran, so it need not be shown again. */
    shown: () => shown,
  }
}

/** Output in pieces: neither a character nor the end of a line is taken apart. */
export function createPieces() {
  const decoder = new TextDecoder()
  let held = ""
  return {
    /** What can be shown now. */
    add(bytes: Uint8Array): string {
      const text = held + decoder.decode(bytes, { stream: true })
      held = text.endsWith("\r") ? "\r" : ""
      return text.slice(0, text.length - held.length)
    },
    end: () => held + decoder.decode(),
  }
}
