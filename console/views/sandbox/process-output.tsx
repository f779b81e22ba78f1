import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { AnsiText } from "../../parts/text/ansi-text.tsx"
import { client } from "../../state/client.ts"
import { lookWhileVisible } from "../../state/look-while-visible.ts"
import type { SandboxPlace } from "./sandbox-facts.ts"

const lookMs = 1_000

/** What is kept of the output. */
const shownCharacters = 20_000

interface ProcessOutputProps extends SandboxPlace {
  readonly process: string
}

/** The end of what a background process has written, as it goes on. */
export function ProcessOutput({ session, sandbox, process }: ProcessOutputProps) {
  const text = useSignal("")
  const isCut = useSignal(false)
  useEffect(() => {
    let after: number | undefined
    const stop = lookWhileVisible(async (signal) => {
      const { state, ...piece } = await client().request(
        "processes.output",
        { session, sandbox, process, ...(after !== undefined && { after }) },
        { signal },
      )
      if (after === undefined && piece.from > 0) isCut.value = true
      const whole = text.peek() + piece.text
      if (whole.length > shownCharacters) isCut.value = true
      if (piece.text !== "") text.value = whole.slice(-shownCharacters)
      // What an ended process has written is all there is.
      const isAll = state !== "running" && piece.next === after
      after = piece.next
      if (isAll) stop()
    }, lookMs)
    return stop
  }, [session, sandbox, process])
  return (
    <>
      {isCut.value && <p class="quiet">The end of what it has written:</p>}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard. */}
      <pre tabIndex={0} class="stream">
        {text.value === "" ? "It has written nothing yet." : <AnsiText text={text.value} />}
      </pre>
    </>
  )
}
