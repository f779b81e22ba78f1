import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import type { RouteAnswer } from "../../../src/api/index.ts"
import type { CallCard } from "../../model/card.ts"
import { StageTable } from "../../parts/stage-table.tsx"
import { ShownText } from "../../parts/text/shown-text.tsx"
import { client } from "../../state/client.ts"

type Explanation = NonNullable<RouteAnswer<"policy.explain">["explanation"]>

interface StagesProps {
  readonly call: CallCard
  readonly session: string
}

/** What each stage of the policy says of the call, by the rules as they are now. */
export function Stages({ call, session }: StagesProps) {
  const explained = useSignal<Explanation | null>(null)
  const { tool, sandbox, agent } = call
  const input = call.checked ?? call.sent
  useEffect(() => {
    if (typeof input !== "object" || input === null || tool === "") return
    const ended = new AbortController()
    const explain = async () => {
      const { explanation } = await client().request(
        "policy.explain",
        {
          ...{ session, tool, input: { ...input }, suggest: true },
          ...(agent !== null && { agent }),
          ...(sandbox !== null && { sandbox }),
        },
        ended,
      )
      explained.value = explanation ?? null
    }
    // The verdict of that time is shown in any case.
    explain().catch(() => {})
    return () => ended.abort()
  }, [session, call.id])
  const { value } = explained
  if (!value) return null
  return (
    <>
      {value.change !== null && (
        <p>
          To decide otherwise: <ShownText text={value.change} />
        </p>
      )}
      <details>
        <summary>Every stage, by the rules as they are now</summary>
        <StageTable steps={value.steps} />
      </details>
    </>
  )
}
