import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import type { RouteAnswer } from "../../src/api/index.ts"
import { sessionPath } from "../navigation/views.ts"
import { failureText } from "../parts/action.tsx"
import { Confirm } from "../parts/confirm.tsx"
import { Scroll } from "../parts/scroll.tsx"
import { ShownText } from "../parts/shown-text.tsx"
import { client } from "../state/client.ts"
import { sessions } from "../state/sessions.ts"
import { WhoMayDoWhat } from "./who-may-do-what.tsx"

interface Allowed {
  readonly session: string
  readonly grant: RouteAnswer<"grants.list">["grants"][number]
}

/** More sessions than these are not asked for what was allowed in them. */
const askedSessions = 50

/** What people have allowed for good, where it can be withdrawn. */
export function Policy() {
  const allowed = useSignal<readonly Allowed[] | null>(null)
  const problem = useSignal<string | null>(null)
  const names = sessions.value.slice(0, askedSessions).map(({ name }) => name)
  const load = async () => {
    try {
      allowed.value = (await Promise.all(names.map(allowedIn))).flat()
      problem.value = null
    } catch (error) {
      problem.value = failureText(error)
    }
  }
  useEffect(() => void load(), [names.join("\n")])
  return (
    <>
      <h1>Policy</h1>
      <p>
        Rules are in <code>toolkeep.yaml</code>. <code>toolkeep policy explain TOOL</code> says what
        they decide about a tool, stage by stage, and so does <a href="/try">Try a tool</a>.
      </p>
      <h2>Allowed always</h2>
      {problem.value !== null && <p role="alert">{problem.value}</p>}
      {allowed.value?.length === 0 && (
        <p class="empty">
          Nothing yet. Whoever answers a question with “always” allows it for that session, and it
          is listed here.
        </p>
      )}
      {allowed.value && allowed.value.length > 0 && (
        <AllowedTable allowed={allowed.value} onChange={load} />
      )}
      {names[0] !== undefined && <WhoMayDoWhat session={names[0]} />}
    </>
  )
}

async function allowedIn(session: string): Promise<readonly Allowed[]> {
  const { grants } = await client().request("grants.list", { session })
  return grants.map((grant) => ({ session, grant }))
}

interface AllowedTableProps {
  readonly allowed: readonly Allowed[]
  readonly onChange: () => Promise<void>
}

function AllowedTable({ allowed, onChange }: AllowedTableProps) {
  return (
    <Scroll label="Allowed always">
      <table class="wide">
        <thead>
          <tr>
            <th scope="col">Tool</th>
            <th scope="col">Session</th>
            <th scope="col">Sandbox</th>
            <th scope="col">Rule that does not ask any more</th>
            <th scope="col">
              <span class="unseen">Withdraw</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {allowed.map(({ session, grant }) => (
            <tr key={JSON.stringify([session, grant])}>
              <th scope="row">
                <ShownText text={grant.tool} />
              </th>
              <td>
                <a href={sessionPath(session)}>
                  <ShownText text={session} />
                </a>
              </td>
              <td>{grant.sandbox ?? "none"}</td>
              <td>
                <ShownText text={grant.rule} />
              </td>
              <td>
                <Confirm
                  label="Withdraw"
                  title={`Ask again about ${grant.tool}?`}
                  onAct={() =>
                    client().request("grants.withdraw", { session, grant }).then(onChange)
                  }
                >
                  The next such call of this session asks a person again.
                </Confirm>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  )
}
