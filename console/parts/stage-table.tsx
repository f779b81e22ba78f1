import type { RouteAnswer } from "../../src/api/index.ts"
import { Table } from "./table.tsx"
import { ShownText } from "./text/shown-text.tsx"

type Steps = NonNullable<RouteAnswer<"policy.explain">["explanation"]>["steps"]

/** What each stage of the policy says, and which one decides. */
export function StageTable({ steps }: { readonly steps: Steps }) {
  return (
    <Table label="Stages" columns={["Stage", "Says", "Rule"]} look="">
      {steps.map(({ stage, says, rule, decided }, index) => (
        <tr key={`${index} ${stage}`}>
          <th scope="row">
            {stage} {decided && <span class="badge">decides</span>}
          </th>
          <td>{says}</td>
          <td>
            <ShownText text={rule.text} />
            {rule.line !== undefined && <span class="quiet"> line {rule.line}</span>}
          </td>
        </tr>
      ))}
    </Table>
  )
}
