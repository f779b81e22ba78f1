import type { RouteAnswer } from "../../../src/api/index.ts"
import { Confirm } from "../../parts/confirm.tsx"
import { Table, Unseen } from "../../parts/table.tsx"
import { ShownText } from "../../parts/text/shown-text.tsx"
import { Day } from "../../parts/time.tsx"
import { client, thisDevice } from "../../state/client.ts"

export type Token = RouteAnswer<"tokens.list">["tokens"][number]

const scopes: Readonly<Record<Token["kind"], string>> = {
  owner: "Everything",
  session: "One session",
  read: "Read only",
  approve: "Answer questions",
}

interface TokenTableProps {
  readonly title: string
  readonly tokens: readonly Token[]
  readonly onChange: () => Promise<void>
}

export function TokenTable({ title, tokens, onChange }: TokenTableProps) {
  if (tokens.length === 0) return <p class="empty">None yet.</p>
  return (
    <Table
      label={title}
      columns={["Name", "May", "Last used", "Expires", <Unseen key="unseen">Revoke</Unseen>]}
    >
      {tokens.map((token) => (
        <TokenRow key={token.token} token={token} onChange={onChange} />
      ))}
    </Table>
  )
}

interface TokenRowProps {
  readonly token: Token
  readonly onChange: () => Promise<void>
}

function TokenRow({ token, onChange }: TokenRowProps) {
  const { token: id, name, kind, session, created_ms, used_ms, expires_ms } = token
  const isOwn = id === thisDevice()
  // The server's own token is in a file of its home.
  const isPrinted = created_ms === 0
  return (
    <tr>
      <th scope="row">
        <ShownText text={name} /> {isOwn && <span class="badge">this browser</span>}
        {isPrinted && <span class="badge">toolkeep up</span>}
      </th>
      <td>
        {scopes[kind]}
        {session !== null && (
          <>
            : <ShownText text={session} />
          </>
        )}
      </td>
      <td>{used_ms === null ? "Never" : <Day ms={used_ms} />}</td>
      <td>{expires_ms === null ? "Never" : <Day ms={expires_ms} />}</td>
      <td>
        {!isOwn && !isPrinted && (
          <Confirm
            label="Revoke"
            title={`Revoke ${name}?`}
            onAct={() => client().request("tokens.revoke", { token: id }).then(onChange)}
          >
            Whoever uses it is refused from now on, and its streams end. This can't be undone.
          </Confirm>
        )}
      </td>
    </tr>
  )
}
