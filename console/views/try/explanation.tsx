import type { RouteAnswer } from "../../../src/api/index.ts"
import { StageTable } from "../../parts/stage-table.tsx"
import { ShownText } from "../../parts/text/shown-text.tsx"

export type Explanation = NonNullable<RouteAnswer<"policy.explain">["explanation"]>

const looks = { allow: "good", ask: "warn", deny: "bad" } as const
const words = { allow: "would run", ask: "would ask you", deny: "would be refused" } as const

/** The verdict with its rule, and every stage before it. */
export function ExplanationTable({ explanation }: { readonly explanation: Explanation }) {
  const { verdict, rule, change, steps } = explanation
  return (
    <>
      <p>
        <span class={`badge ${looks[verdict]}`}>{words[verdict]}</span>{" "}
        <ShownText text={rule.text} />
        {rule.because !== undefined && (
          <>
            : <ShownText text={rule.because} />
          </>
        )}
        {rule.line !== undefined && <span class="quiet"> (line {rule.line})</span>}
      </p>
      {change !== null && <p class="quiet">{change}</p>}
      <details>
        <summary>Every stage</summary>
        <StageTable steps={steps} />
      </details>
    </>
  )
}
