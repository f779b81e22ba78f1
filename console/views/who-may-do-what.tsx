import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { failureText } from "../parts/action.tsx"
import { Field } from "../parts/field.tsx"
import { Scroll } from "../parts/scroll.tsx"
import { ShownText } from "../parts/shown-text.tsx"
import { client } from "../state/client.ts"
import type { Explanation } from "./try/explanation.tsx"

type Verdicts = ReadonlyMap<string, Explanation>

/** Each tool with what the policy says of it, for any agent or for one by its name. */
export function WhoMayDoWhat({ session }: { readonly session: string }) {
  const agent = useSignal("")
  const verdicts = useSignal<Verdicts | null>(null)
  const problem = useSignal<string | null>(null)
  useEffect(() => {
    let isWanted = true
    explainAll(session, agent.value).then(
      (found) => {
        if (isWanted) verdicts.value = found
      },
      (error: unknown) => {
        problem.value = failureText(error)
      },
    )
    return () => {
      isWanted = false
    }
  }, [session, agent.value])
  return (
    <section aria-labelledby="who">
      <h2 id="who">Who may do what</h2>
      <div class="session-choice">
        <Field label="Agent" hint="As toolkeep.yaml names it; empty for any other.">
          <input
            value={agent.value}
            onChange={({ currentTarget }) => {
              agent.value = currentTarget.value
            }}
          />
        </Field>
      </div>
      {problem.value !== null && <p role="alert">{problem.value}</p>}
      {verdicts.value && <VerdictTable session={session} verdicts={verdicts.value} />}
    </section>
  )
}

async function explainAll(session: string, agent: string): Promise<Verdicts> {
  const { tools } = await client().request("tools.list", { session, all: true })
  const who = agent === "" ? {} : { agent }
  const found = await Promise.all(
    tools.map(async ({ name: tool }) => {
      const { explanation } = await client().request("policy.explain", { session, tool, ...who })
      return explanation ? [[tool, explanation] as const] : []
    }),
  )
  return new Map(found.flat())
}

const looks = { allow: "good", ask: "warn", deny: "bad" } as const

interface VerdictTableProps {
  readonly session: string
  readonly verdicts: Verdicts
}

/** "What if" is the form of the tool, which explains what is typed into it. */
function VerdictTable({ session, verdicts }: VerdictTableProps) {
  return (
    <Scroll label="Verdicts">
      <table class="wide">
        <thead>
          <tr>
            <th scope="col">Tool</th>
            <th scope="col">Verdict</th>
            <th scope="col">Because</th>
            <th scope="col">With arguments</th>
          </tr>
        </thead>
        <tbody>
          {[...verdicts].map(([tool, { verdict, rule, depends_on_arguments }]) => (
            <tr key={tool}>
              <th scope="row">
                <ShownText text={tool} />
              </th>
              <td>
                <span class={`badge ${looks[verdict]}`}>{verdict}</span>
                {depends_on_arguments && <span class="quiet"> depends on arguments</span>}
              </td>
              <td>
                <ShownText text={rule.because ?? rule.text} />
              </td>
              <td>
                <a
                  href={`/try?${new URLSearchParams({ session, tool })}`}
                  aria-label={`What if: ${tool}`}
                >
                  What if
                </a>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  )
}
