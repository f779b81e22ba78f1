import { useComputed, useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { sandboxPath, sessionPath } from "../../navigation/views.ts"
import { failureText } from "../../parts/action.tsx"
import { Scroll } from "../../parts/scroll.tsx"
import { ShownText } from "../../parts/shown-text.tsx"
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
  const found = useSignal<readonly Placed[] | null>(null)
  const problem = useSignal<string | null>(null)
  useEffect(() => {
    let isWanted = true
    const load = async () => {
      const lists = await Promise.all(
        open.value.map(async ({ name: session }) =>
          (await sandboxesOf(session)).map((one) => ({ ...one, session })),
        ),
      )
      if (isWanted) found.value = lists.flat()
    }
    load().catch((error: unknown) => {
      problem.value = failureText(error)
    })
    return () => {
      isWanted = false
    }
  }, [JSON.stringify(open.value)])
  return (
    <>
      <h1>Sandboxes</h1>
      {problem.value !== null && <p role="alert">{problem.value}</p>}
      {found.value?.length === 0 && (
        <p class="empty">No sandbox yet. A session gets one with its first command or file.</p>
      )}
      {found.value && found.value.length > 0 && <SandboxTable sandboxes={found.value} />}
    </>
  )
}

function SandboxTable({ sandboxes }: { readonly sandboxes: readonly Placed[] }) {
  return (
    <Scroll label="Sandboxes">
      <table class="wide">
        <thead>
          <tr>
            <th scope="col">Sandbox</th>
            <th scope="col">Session</th>
            <th scope="col">Status</th>
            <th scope="col">Image</th>
            <th scope="col">Network</th>
          </tr>
        </thead>
        <tbody>
          {sandboxes.map(({ session, sandbox, status, image, network }) => (
            <tr key={`${session} ${sandbox}`}>
              <th scope="row">
                <a href={sandboxPath(session, sandbox)}>
                  <ShownText text={sandbox} />
                </a>
              </th>
              <td>
                <a href={sessionPath(session)}>
                  <ShownText text={session} />
                </a>
              </td>
              <td>{status}</td>
              <td>
                <ShownText text={image} />
              </td>
              <td>{network}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  )
}
