import { useSignal } from "@preact/signals"
import type { PageView } from "../model/result-view.ts"
import { More } from "../parts/text/code.tsx"
import { Link, Markdown } from "../parts/text/markdown.tsx"
import { ShownText } from "../parts/text/shown-text.tsx"

/** Characters of a page that are shown before the reader asks for all. */
const firstCharacters = 3_000

/** A page of the web: where it is, and what it says. */
export function PageResult({ page }: { readonly page: PageView }) {
  const isOpen = useSignal(false)
  const { text, title, url, status, isMarkdown, isCut } = page
  const shown = isOpen.value ? text : text.slice(0, firstCharacters)
  return (
    <div class="page">
      <p>
        {status !== null && <span class="quiet">{status} </span>}
        <Link address={url}>
          <ShownText text={title || url} />
        </Link>
      </p>
      {isMarkdown ? (
        <Markdown text={shown} isOpen={isCut || shown !== text} />
      ) : (
        <pre>
          <ShownText text={shown} />
        </pre>
      )}
      <More
        count={text.length - shown.length}
        noun="characters"
        onOpen={() => (isOpen.value = true)}
      />
      {isCut && <p class="quiet">There is more of this page.</p>}
    </div>
  )
}
