import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import type { CodePiece } from "./colour-code.ts"
import { ShownText } from "./shown-text.tsx"

interface CodeProps {
  readonly text: string
  readonly language: string | null
  /** The number of the first line; none are shown when absent. */
  readonly startLine?: number
}

/** Lines that are shown before the reader asks for all. */
const firstLines = 40

/** Code with line numbers; its colours come when they are ready. */
export function Code({ text, language, startLine }: CodeProps) {
  const coloured = useSignal<readonly (readonly CodePiece[])[] | null>(null)
  const isOpen = useSignal(false)
  useEffect(() => {
    coloured.value = null
    if (language === null) return
    const ended = new AbortController()
    const colour = async () => {
      const { colourCode } = await import("./colour-code.ts")
      const lines = await colourCode(text, language, ended.signal)
      if (!ended.signal.aborted) coloured.value = lines
    }
    // Without colours the code is still there to be read.
    colour().catch(() => {})
    return () => ended.abort()
  }, [text, language])
  const plain = text.replace(/\n$/, "").split("\n")
  const shown = isOpen.value ? plain.length : Math.min(plain.length, firstLines)
  const lines = plain.slice(0, shown).map((line, index): readonly CodePiece[] => {
    return coloured.value?.[index] ?? [{ text: line, look: "" }]
  })
  return (
    <>
      <pre class="code" data-coloured={coloured.value !== null}>
        {lines.map((pieces, index) => (
          <div key={index} class="code-line">
            {startLine !== undefined && <span class="line-number">{startLine + index}</span>}
            <span class="line-text">
              {pieces.map((piece, at) => (
                <span key={at} class={piece.look}>
                  <ShownText text={piece.text} />
                </span>
              ))}
            </span>
          </div>
        ))}
      </pre>
      <More count={plain.length - shown} noun="lines" onOpen={() => (isOpen.value = true)} />
    </>
  )
}

interface MoreProps {
  readonly count: number
  readonly noun: string
  readonly onOpen: () => void
}

/** A button for what was left out; nothing where that is nothing. */
export function More({ count, noun, onOpen }: MoreProps) {
  if (count <= 0) return null
  return (
    <button type="button" class="more" onClick={onOpen}>
      Show {count} more {noun}
    </button>
  )
}
