import { useSignal } from "@preact/signals"
import { Action } from "../parts/action.tsx"
import { AnsiText } from "../parts/text/ansi-text.tsx"
import { client } from "../state/client.ts"

interface AllOutputProps {
  readonly session: string
  readonly call: string
}

interface Part {
  readonly from: number
  readonly text: string
}

const partBytes = 256 * 1024

/** All that was recorded of what a call printed, on demand: its envelope has less. */
export function AllOutput({ session, call }: AllOutputProps) {
  const parts = useSignal<readonly Part[] | null>(null)
  const load = async () => {
    const loaded: Part[] = []
    for (let from = 0, size = 1; from < size; ) {
      const range = { session, call, from, bytes: partBytes }
      const part = await client().request("calls.output", range)
      loaded.push({ from: part.from, text: part.text })
      size = part.size
      from = part.next
    }
    parts.value = loaded
  }
  const shown = parts.value
  if (shown === null) return <Action onAct={load}>Show all output</Action>
  let end = 0
  return (
    <>
      {shown.map(({ from, text }) => {
        const missing = from - end
        end = from + new TextEncoder().encode(text).length
        return (
          <>
            {missing > 0 && <p class="quiet">{missing} bytes were not recorded.</p>}
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard. */}
            <pre key={from} tabIndex={0} class="stream" data-stream="All">
              <AnsiText text={text} />
            </pre>
          </>
        )
      })}
    </>
  )
}
