import { useComputed } from "@preact/signals"
import { SessionLink } from "../../navigation/session-link.tsx"
import { sandboxPath } from "../../navigation/views.ts"
import { Table } from "../../parts/table.tsx"
import { ShownText } from "../../parts/text/shown-text.tsx"
import { useLoaded } from "../../parts/use-loaded.ts"
import { sessions } from "../../state/sessions.ts"
import { type Sandbox, sandboxesOf } from "./sandbox-facts.ts"

interface Placed extends Sandbox {
  readonly session: string
}

/** The sandboxes of all sessions that the server has open. */
export function Sandboxes() {
  const open = useComputed(() =>
    sessions.value.filter(({ is_open }) => is_open).map(({ name, head }) => ({ name, head })),
  )
  const { value: found, problem } = useLoaded(async () => {
    const lists = open.value.map(async ({ name: session }) =>
      (await sandboxesOf(session)).map((one): Placed => ({ ...one, session })),
    )
    return (await Promise.all(lists)).flat()
  }, [JSON.stringify(open.value)])
  return (
    <>
      <h1>Sandboxes</h1>
      {problem !== null && <p role="alert">{problem}</p>}
      {found?.length === 0 && (
        <p class="empty">No sandbox yet. A session gets one with its first command or file.</p>
      )}
      {found && found.length > 0 && <SandboxTable sandboxes={found} />}
    </>
  )
}

function SandboxTable({ sandboxes }: { readonly sandboxes: readonly Placed[] }) {
  return (
    <Table label="Sandboxes" columns={["Sandbox", "Session", "Status", "Image", "Network"]}>
      {sandboxes.map(({ session, sandbox, status, image, network }) => (
        <tr key={`${session} ${sandbox}`}>
          <th scope="row">
            <a href={sandboxPath(session, sandbox)}>
              <ShownText text={sandbox} />
            </a>
          </th>
          <td>
            <SessionLink session={session} />
          </td>
          <td>{status}</td>
          <td>
            <ShownText text={image} />
          </td>
          <td>{network}</td>
        </tr>
      ))}
    </Table>
  )
}
