import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import type { RouteAnswer } from "../../../src/api/index.ts"
import { failureText } from "../../parts/action.tsx"
import { ShownJson, ShownText } from "../../parts/text/shown-text.tsx"
import { client } from "../../state/client.ts"
import { ExplanationTable } from "./explanation.tsx"

type WouldDoAnswer = RouteAnswer<"policy.explain">

interface WouldDoProps {
  readonly session: string
  readonly tool: string
  readonly input: unknown
}

/** What is typed in a row is asked about once. */
const pauseMs = 300

/** What repair and policy would do to this call, before it runs. */
export function WouldDo({ session, tool, input }: WouldDoProps) {
  const answer = useSignal<WouldDoAnswer | null>(null)
  const problem = useSignal<string | null>(null)
  const asked = JSON.stringify([session, tool, input])
  useEffect(() => {
    const leaving = new AbortController()
    const ask = async () => {
      try {
        const given = { session, tool, input: input as Record<string, unknown> }
        const { signal } = leaving
        answer.value = await client().request("policy.explain", given, { signal })
        problem.value = null
      } catch (error) {
        if (!leaving.signal.aborted) problem.value = failureText(error)
      }
    }
    const timer = setTimeout(() => void ask(), pauseMs)
    return () => {
      clearTimeout(timer)
      leaving.abort()
    }
  }, [asked])
  if (problem.value !== null) return <p class="problem">{problem.value}</p>
  return answer.value && <Shown answer={answer.value} />
}

function Shown({ answer }: { readonly answer: WouldDoAnswer }) {
  const { repairs, failure, input, explanation } = answer
  return (
    <section class="would-do" aria-label="What would happen">
      {failure !== undefined && (
        <p>
          <span class="badge bad">would be refused</span>{" "}
          <ShownText text={String(Object(failure).message)} />
        </p>
      )}
      {explanation && <ExplanationTable explanation={explanation} />}
      {repairs.length > 0 && (
        <details>
          <summary>
            Repaired: {repairs.length === 1 ? "one thing" : `${repairs.length} things`}
          </summary>
          <ul>
            {repairs.map((repair) => (
              <li key={repair}>
                <ShownText text={repair} />
              </li>
            ))}
          </ul>
          <ShownJson value={input} />
        </details>
      )}
    </section>
  )
}
