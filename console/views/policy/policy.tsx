import type { RouteAnswer } from "../../../src/api/index.ts"
import { SessionLink } from "../../navigation/session-link.tsx"
import { Confirm } from "../../parts/confirm.tsx"
import { Table, Unseen } from "../../parts/table.tsx"
import { ShownText } from "../../parts/text/shown-text.tsx"
import { useLoaded } from "../../parts/use-loaded.ts"
import { client } from "../../state/client.ts"
import { sessions } from "../../state/sessions.ts"
import { WhoMayDoWhat } from "./who-may-do-what.tsx"

interface Allowed {
  readonly session: string
  readonly grant: RouteAnswer<"grants.list">["grants"][number]
}

/** More sessions than these are not asked for what was allowed in them. */
const askedSessions = 50

/** Who may do what, and what people have allowed for good, where it can be withdrawn. */
export function Policy() {
  const names = sessions.value.slice(0, askedSessions).map(({ name }) => name)
  const {
    value: allowed,
    problem,
    load,
  } = useLoaded(async () => (await Promise.all(names.map(allowedIn))).flat(), [names.join("\n")])
  return (
    <>
      <h1>Policy</h1>
      <p>
        Rules are in <code>toolkeep.yaml</code>. <code>toolkeep policy explain TOOL</code> says what
        they decide about a tool, stage by stage, and so does <a href="/try">Try a tool</a>.
      </p>
      {names[0] === undefined ? (
        <p class="empty">No session yet: the first call of an agent opens one.</p>
      ) : (
        <WhoMayDoWhat session={names[0]} />
      )}
      <h2>Allowed always</h2>
      {problem !== null && <p role="alert">{problem}</p>}
      {allowed?.length === 0 && (
        <p class="empty">
          Nothing yet. Whoever answers a question with “always” allows it for that session, and it
          is listed here.
        </p>
      )}
      {allowed && allowed.length > 0 && <AllowedTable allowed={allowed} onChange={load} />}
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
    <Table
      label="Allowed always"
      columns={[
        "Tool",
        "Session",
        "Sandbox",
        "Rule that does not ask any more",
        <Unseen key="unseen">Withdraw</Unseen>,
      ]}
    >
      {allowed.map(({ session, grant }) => (
        <tr key={JSON.stringify([session, grant])}>
          <th scope="row">
            <ShownText text={grant.tool} />
          </th>
          <td>
            <SessionLink session={session} />
          </td>
          <td>{grant.sandbox ?? "none"}</td>
          <td>
            <ShownText text={grant.rule} />
          </td>
          <td>
            <Confirm
              label="Withdraw"
              title={`Ask again about ${grant.tool}?`}
              onAct={() => client().request("grants.withdraw", { session, grant }).then(onChange)}
            >
              The next such call of this session asks a person again.
            </Confirm>
          </td>
        </tr>
      ))}
    </Table>
  )
}
