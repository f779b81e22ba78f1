import { useSignal } from "@preact/signals"
import { countDiff, parseDiff } from "../model/parse-diff.ts"
import { More } from "../parts/text/code.tsx"
import { ShownText } from "../parts/text/shown-text.tsx"

/** Lines that are shown before the reader asks for all. */
const firstLines = 60

/** A unified diff in colours, with the numbers of the lines before and after. */
export function DiffResult({ diff, about }: { readonly diff: string; readonly about: string }) {
  const isOpen = useSignal(false)
  const lines = parseDiff(diff)
  const { added, removed } = countDiff(lines)
  const shown = isOpen.value ? lines : lines.slice(0, firstLines)
  return (
    <>
      <p class="quiet">
        {about},{" "}
        <span class="text-good">
          {added} {added === 1 ? "line" : "lines"} added
        </span>
        , <span class="text-bad">{removed} removed</span>
      </p>
      <pre class="code diff">
        {shown.map(({ kind, text, before, after }, index) => (
          <div key={index} class={`code-line ${kind}`}>
            <span class="line-number">{before}</span>
            <span class="line-number">{after}</span>
            <span class="line-text">
              <ShownText text={text} />
            </span>
          </div>
        ))}
      </pre>
      <More count={lines.length - shown.length} noun="lines" onOpen={() => (isOpen.value = true)} />
    </>
  )
}
