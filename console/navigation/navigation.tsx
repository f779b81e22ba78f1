import { useSignal } from "@preact/signals"
import { useEffect, useRef } from "preact/hooks"
import { useLocation } from "preact-iso"
import { hasWords, SearchBox } from "../parts/search-box.tsx"
import { ShownText } from "../parts/text/shown-text.tsx"
import { questions } from "../state/questions.ts"
import { sessions } from "../state/sessions.ts"
import { isWithin, sessionOf, sessionPath, views } from "./views.ts"

/** Where the list would take the place of what it leads to. */
const isNarrow = matchMedia("(max-width: 700px)").matches

/** More are found by searching. */
const shownSessions = 100

export function Navigation() {
  const { path } = useLocation()
  const list = useRef<HTMLUListElement>(null)
  // At phone width the views are in one row, of which a part is seen.
  useEffect(() => {
    const current = list.current?.querySelector("[aria-current]")
    current?.scrollIntoView({ block: "nearest", inline: "center" })
  }, [path])
  return (
    <nav aria-label="Views">
      <a class="brand" href="/" aria-label="Toolkeep, to what happens now">
        Toolkeep
      </a>
      <ul class="views" ref={list}>
        {views.map((view) => (
          <li key={view.path}>
            <a href={view.path} aria-current={isWithin(path, view.path) ? "page" : undefined}>
              {view.name}
              {view.path === "/waiting" && <Count />}
            </a>
          </li>
        ))}
      </ul>
      <Sessions current={sessionOf(path)} />
    </nav>
  )
}

function Count() {
  const waiting = questions.value.length
  return waiting > 0 ? <span class="count">{waiting}</span> : null
}

function Sessions({ current }: { readonly current: string | null }) {
  const wanted = useSignal("")
  const all = sessions.value
  if (all.length === 0) return null
  const found = all.filter(({ name }) => hasWords(name, wanted.value))
  return (
    <details class="session-list" open={!isNarrow}>
      <summary>Sessions</summary>
      <SearchBox label="Search sessions" placeholder="Search" wanted={wanted} />
      <ul>
        {found.slice(0, shownSessions).map(({ name, state }) => (
          <li key={name}>
            <a href={sessionPath(name)} aria-current={name === current ? "page" : undefined}>
              <span class={`dot ${state}`} role="img" aria-label={state} title={state} />
              <span class="name">
                <ShownText text={name} />
              </span>
            </a>
          </li>
        ))}
      </ul>
      {found.length === 0 && <p class="quiet">No session has this name.</p>}
      {found.length > shownSessions && (
        <p class="quiet">And {found.length - shownSessions} more: search for them.</p>
      )}
    </details>
  )
}
