import { useSignal } from "@preact/signals"
import { hasWords, SearchBox } from "../../parts/search-box.tsx"
import { ShownText } from "../../parts/text/shown-text.tsx"
import type { Tool } from "./try.tsx"

interface ToolListProps {
  readonly tools: readonly Tool[]
  readonly session: string
  readonly chosen: string | undefined
}

/** By family, which is what is before the dot. */
export function ToolList({ tools, session, chosen }: ToolListProps) {
  const wanted = useSignal("")
  const found = tools.filter(({ name, title, description }) =>
    hasWords(`${name} ${title} ${description}`, wanted.value),
  )
  const families = Map.groupBy(found, ({ name }) => name.split(".")[0] ?? name)
  return (
    <nav class="tool-list" aria-label="Tools">
      <SearchBox label="Search tools" placeholder="Search tools" wanted={wanted} />
      {[...families].map(([family, members]) => (
        <section key={family} aria-label={family}>
          <h2>{family}</h2>
          <ul>
            {members.map(({ name, title }) => (
              <li key={name}>
                <a
                  href={`/try?${new URLSearchParams({ session, tool: name })}`}
                  aria-current={name === chosen ? "page" : undefined}
                  title={title}
                >
                  <ShownText text={name} />
                </a>
              </li>
            ))}
          </ul>
        </section>
      ))}
      {found.length === 0 && <p class="quiet">No tool is about that.</p>}
    </nav>
  )
}
