import type { Questions } from "../../http/index.ts"
import { errorText } from "../../kit/index.ts"
import type { Terminal } from "../output/terminal.ts"

/** The questions that wait, at the terminal of a server: one at a time, each answered by one key. */
export interface KeyAnswers {
  press(key: string): void
  stop(): void
}

/** A key that was meant for something else must not answer a question that has just come. */
const readMs = 500

const by = "the person at the terminal"

const choices = "y allows it once, n denies it; the console has more answers."

export function askByKeys(
  { note, style }: Pick<Terminal, "note" | "style">,
  questions: Questions,
): KeyAnswers {
  let shown: { readonly id: string; readonly fingerprint: string | null; atMs: number } | null =
    null
  /** Each look ends before the next begins, so that none is shown twice. */
  let looked: Promise<void> = Promise.resolve()

  async function look(): Promise<void> {
    const waiting = (await questions.list()).filter(({ kind }) => kind === "approval")
    if (shown && !waiting.some(({ question }) => question === shown?.id)) {
      note("toolkeep: that question was answered elsewhere, or nobody waits for it any more.\n")
      shown = null
    }
    const [next] = waiting
    if (shown || !next) return
    const { question: id, fingerprint, session, text } = next
    shown = { id, fingerprint, atMs: performance.now() }
    note(`${text}\n${style("bold", `Session ${JSON.stringify(session)} asks:`)} ${choices}\n`)
  }
  const lookLater = () => {
    looked = looked.then(look).catch((error) => note(`toolkeep: ${errorText(error)}\n`))
  }
  async function answer(isYes: boolean): Promise<void> {
    if (!shown || performance.now() - shown.atMs < readMs) return
    const { id: question, fingerprint } = shown
    shown = null
    const named = fingerprint === null ? {} : { fingerprint }
    const counted = await questions.answer(
      { question, answer: isYes ? "approve" : "deny", ...named },
      by,
    )
    note(`toolkeep: ${counted ? (isYes ? "allowed" : "denied") : "somebody else was first"}\n`)
  }
  const stop = questions.watch(lookLater)
  lookLater()
  return {
    press(key) {
      if (key !== "y" && key !== "n") return
      looked = looked
        .then(() => answer(key === "y"))
        .then(look)
        .catch((error) => note(`toolkeep: ${errorText(error)}\n`))
    },
    stop: () => void stop(),
  }
}
