import { withTimeout } from "../../kit/index.ts"
import { serverLimits } from "../../mcp/index.ts"

/** Answers that are on their way, which a server that stops waits for. */
export interface OpenAnswers {
  add(answer: Answer): void
  /** Resolves when all of them are sent, or that takes too long. */
  sent(): Promise<void>
}

interface Answer {
  readonly closed: boolean
  once(event: "close", listener: () => void): unknown
}

export function createOpenAnswers(): OpenAnswers {
  const open = new Set<Promise<void>>()
  return {
    add(answer) {
      if (answer.closed) return
      const closed = new Promise<void>((resolve) => void answer.once("close", resolve))
      open.add(closed)
      void closed.then(() => open.delete(closed))
    },
    async sent() {
      const all = Promise.all(open)
      await withTimeout(all, serverLimits.lastAnswerMs, { otherwise: () => {} })
    },
  }
}
