import type { CallCard } from "../model/card.ts"
import { textOf } from "../model/read-field.ts"
import { ShownJson, ShownText } from "../parts/text/shown-text.tsx"

/** What is called, as short as a person would say it; all arguments on demand. */
export function CallInput({ call: { sent, checked, repairs } }: { readonly call: CallCard }) {
  const input = checked ?? sent
  if (input === undefined) return null
  const main = mainArgument(input)
  const hasMore = main === null || Object.keys(Object(input)).length > 1
  return (
    <div class="input">
      {main !== null && (
        <pre class="main-argument">
          <ShownText text={main} />
        </pre>
      )}
      {repairs.length > 0 && <p class="quiet">Repaired: {repairs.join(" ")}</p>}
      {hasMore && Object.keys(Object(input)).length > 0 && (
        <details>
          <summary>Arguments</summary>
          <ShownJson value={input} />
        </details>
      )}
    </div>
  )
}

const mainNames = ["command", "code", "path", "url", "query", "pattern", "task", "from", "question"]

/** The argument that says what the call is about; a long one is cut. */
function mainArgument(input: unknown): string | null {
  const found = mainNames.map((name) => textOf(input, name)).find((text) => text !== null)
  if (found === undefined) return null
  return found.length > 2_000 ? `${found.slice(0, 2_000)} …` : found
}
