import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import type { RouteAnswer } from "../../src/api/index.ts"
import { sessionPath } from "../navigation/views.ts"
import { ShownText } from "../parts/text/shown-text.tsx"
import { client } from "../state/client.ts"

type Listed = RouteAnswer<"patterns.list">["patterns"][number]

/** The patterns that `toolkeep dev` runs here; each has a page of its own. */
export function RunningPatterns() {
  const listed = useSignal<readonly Listed[]>([])
  useEffect(() => {
    client()
      .request("patterns.list", {})
      .then(
        ({ patterns }) => {
          listed.value = patterns
        },
        // Whether the server can be reached is shown above.
        () => {},
      )
  }, [])
  if (listed.value.length === 0) return null
  return (
    <section aria-labelledby="patterns">
      <h2 id="patterns">Patterns</h2>
      <ul>
        {listed.value.map(({ pattern, name, file, session, problem }) => (
          <li key={pattern}>
            <a href={`/p/${encodeURIComponent(pattern)}`} target="_blank" rel="noopener">
              <ShownText text={name} />
            </a>{" "}
            <span class="quiet">
              <ShownText text={file} />
            </span>
            , <a href={sessionPath(session)}>its calls</a>
            {problem !== null && (
              <p class="problem">
                <ShownText text={problem} />
              </p>
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}
