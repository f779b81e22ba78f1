import { setImmediate, setTimeout as sleep } from "node:timers/promises"
import type { Approver } from "../../runtime/index.ts"
import type { Terminal } from "./terminal.ts"

/** Whether somebody sits at a terminal and can be asked there. */
export function canAsk({ showsProgress }: Pick<Terminal, "showsProgress">): boolean {
  // In this order: to look at standard input opens it (bench: cold-call).
  return showsProgress && process.stdin.isTTY === true
}

/** How long what was typed before takes to arrive. */
const typedAheadMs = 20

/** Drops what was typed before the person could read the question: it answers something else. */
export async function dropTypedAhead(): Promise<void> {
  const drop = () => {}
  process.stdin.on("data", drop).resume()
  await sleep(typedAheadMs)
  // Also on a busy machine, input was looked for since.
  await setImmediate()
  process.stdin.off("data", drop)
  process.stdin.pause()
}

/** What the person at the terminal types next; empty when the terminal closes. Rejects when the signal aborts. */
export async function readLine(signal: AbortSignal): Promise<string> {
  if (process.stdin.readableEnded) return ""
  // The person may be all that is waited for.
  process.stdin.ref?.()
  // Loaded on first use: few calls ask (bench: cold-call).
  const { createInterface } = await import("node:readline/promises")
  // Lines as the terminal edits them, so that Ctrl-C still ends the call.
  const lines = createInterface({ input: process.stdin, terminal: false })
  try {
    return await Promise.race([
      lines.question("", { signal }),
      new Promise<string>((resolve) => lines.once("close", () => resolve(""))),
    ])
  } finally {
    lines.close()
    process.stdin.unref?.()
  }
}

/** Asks the person at the terminal, once for each call; undefined where nobody sits at one. */
export function askOnTerminal(terminal: Terminal): Approver | undefined {
  if (!canAsk(terminal)) return undefined
  return async ({ question, fingerprint }, signal) => {
    terminal.note(`${question}\n${terminal.style("bold", "Allow this call? [y/N]")} `)
    const answer = await readLine(signal)
    const isYes = /^y(es)?$/i.test(answer.trim())
    return isYes ? { kind: "approved", fingerprint } : { kind: "denied" }
  }
}
