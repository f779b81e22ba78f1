import { parseAnsi } from "../../model/parse-ansi.ts"
import { ShownText } from "./shown-text.tsx"

/** What a program printed, with its colours and nothing else that steers a terminal. */
export function AnsiText({ text }: { readonly text: string }) {
  return (
    <>
      {parseAnsi(text).map(({ text: piece, look }, index) =>
        look === "" ? (
          <ShownText key={index} text={piece} />
        ) : (
          <span key={index} class={look}>
            <ShownText text={piece} />
          </span>
        ),
      )}
    </>
  )
}
