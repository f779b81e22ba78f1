import { useSignal } from "@preact/signals"
import { Table } from "../../parts/table.tsx"
import { ShownText } from "../../parts/text/shown-text.tsx"
import { Moment } from "../../parts/time.tsx"
import { client } from "../../state/client.ts"
import { usePast } from "./past.tsx"
import type { SandboxPlace } from "./sandbox-facts.ts"

/** What commands in a sandbox reached and were refused, with the rule that decided. */
export function NetworkLog(place: SandboxPlace) {
  const unknown = useSignal<string | null>(null)
  const { items, problem, earlier } = usePast(place, async (before, signal) => {
    const asked = { ...place, ...(before !== undefined && { before }) }
    const log = await client().request("sandboxes.network", asked, { signal })
    unknown.value = log.unknown
    return { items: log.decisions, next: log.next }
  })
  return (
    <section aria-label="Network">
      {problem}
      {unknown.value !== null && (
        <p class="quiet">What it tries now is not known, because {unknown.value}.</p>
      )}
      {items?.length === 0 && (
        <p class="empty">Nothing that it reached or was refused is recorded.</p>
      )}
      {items && items.length > 0 && (
        <Table label="Reached and refused" columns={["When", "Host", "Verdict", "Rule", "Times"]}>
          {items.map(({ sequence, at_ms, target, port, allowed, rule, times }, index) => (
            <tr key={`${sequence} ${index}`}>
              <td>
                <Moment ms={at_ms} />
              </td>
              <th scope="row">
                {target === null ? (
                  "more hosts, which were only counted"
                ) : (
                  <>
                    <ShownText text={target} />:{port}
                  </>
                )}
              </th>
              <td>
                {allowed !== null && (
                  <span class={`badge ${allowed ? "good" : "bad"}`}>
                    {allowed ? "reached" : "refused"}
                  </span>
                )}
              </td>
              <td>{rule !== null && <ShownText text={rule} />}</td>
              <td>{times}</td>
            </tr>
          ))}
        </Table>
      )}
      {earlier}
    </section>
  )
}
