import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { failureText } from "../../parts/action.tsx"
import { client } from "../../state/client.ts"
import { lookWhileVisible } from "../../state/look-while-visible.ts"
import type { SandboxPlace } from "./sandbox-facts.ts"
import {
  drawing,
  lastText,
  linePath,
  type Usage,
  type UsageLine,
  usageLines,
  withUsage,
} from "./usage-lines.ts"

const lookMs = 2_000

/** What the sandbox uses of its limits, for as long as somebody looks at it. */
export function SandboxUsage({ session, sandbox }: SandboxPlace) {
  const seen = useSignal<readonly Usage[]>([])
  const problem = useSignal<string | null>(null)
  useEffect(() => {
    seen.value = []
    return lookWhileVisible(async (signal) => {
      try {
        const now = await client().request("sandboxes.usage", { session, sandbox }, { signal })
        seen.value = withUsage(seen.peek(), now)
        problem.value = null
      } catch (error) {
        if (!signal.aborted) problem.value = failureText(error)
      }
    }, lookMs)
  }, [session, sandbox])
  return (
    <section aria-label="Usage">
      {problem.value !== null && <p role="alert">{problem.value}</p>}
      <dl class="usage">
        {usageLines(seen.value).map((line) => (
          <Line key={line.about} line={line} />
        ))}
      </dl>
    </section>
  )
}

function Line({ line }: { readonly line: UsageLine }) {
  const { width, height } = drawing
  return (
    <div>
      <dt>{line.about}</dt>
      <dd>
        {line.unknown === null && (
          <svg
            viewBox={`0 -1 ${width} ${height + 2}`}
            preserveAspectRatio="none"
            aria-hidden="true"
          >
            <path d={linePath(line)} vector-effect="non-scaling-stroke" />
          </svg>
        )}
        <span class={line.unknown === null ? undefined : "quiet"}>{lastText(line)}</span>
      </dd>
    </div>
  )
}
