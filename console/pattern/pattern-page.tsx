import { useSignalEffect } from "@preact/signals"
import { Clock } from "../parts/time.tsx"
import { page } from "../state/client.ts"
import { Nodes } from "./draw.tsx"
import { eventProblem, hasPage, loadProblem, patternName, tree } from "./page-state.ts"
import { ProblemView } from "./problem-view.tsx"

export function PatternPage() {
  useSignalEffect(() => {
    document.title = patternName.value || "Toolkeep"
  })
  const state = page.value
  if (state.kind === "signed-out") return <SignedOut why={state.why} />
  return (
    <>
      <header class="pattern-header">
        <h1>{patternName.value}</h1>
        <a href="/">Console</a>
      </header>
      {state.kind === "offline" && (
        <p class="page-status" role="status">
          Offline since <Clock ms={state.sinceMs} />. The page catches up by itself.
        </p>
      )}
      {loadProblem.value && <ProblemView problem={loadProblem.value} />}
      <main class="pattern" aria-busy={!hasPage.value}>
        <Nodes nodes={tree.value.nodes} />
        {hasPage.value && tree.value.nodes.length === 0 && !loadProblem.value && (
          <p class="quiet">This pattern has no page: its body returns no [UI].</p>
        )}
      </main>
      {eventProblem.value && (
        <ProblemView problem={eventProblem.value} onClose={() => (eventProblem.value = null)} />
      )}
    </>
  )
}

function SignedOut({ why }: { readonly why: string | null }) {
  return (
    <main class="pattern">
      <h1>Toolkeep</h1>
      {why !== null && <p role="alert">{why}</p>}
      <p>
        This browser is not signed in. Press <kbd>o</kbd> where <code>toolkeep dev</code> runs, or
        run <code>toolkeep link</code> and open the link that it prints. Each works once, within ten
        minutes.
      </p>
    </main>
  )
}
