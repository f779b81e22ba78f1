import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import type { RouteAnswer } from "../../src/api/index.ts"
import { Action } from "../parts/action.tsx"
import { ShownText } from "../parts/text/shown-text.tsx"
import { client } from "../state/client.ts"

type Grant = RouteAnswer<"grants.list">["grants"][number]

/** What a person has allowed always in a session, each with a button that takes it back. */
export function Grants({ session }: { readonly session: string }) {
  const grants = useSignal<readonly Grant[]>([])
  const load = async () => {
    grants.value = (await client().request("grants.list", { session })).grants
  }
  useEffect(() => {
    // A reader's token may not know of them.
    load().catch(() => {})
  }, [session])
  if (grants.value.length === 0) return null
  return (
    <details class="grants">
      <summary>Always allowed: {grants.value.length}</summary>
      <ul class="sessions">
        {grants.value.map((grant, index) => (
          <li key={index}>
            <strong>{grant.tool}</strong>
            <code>
              <ShownText text={grant.rule} />
            </code>
            {grant.sandbox !== null && <span class="quiet">in {grant.sandbox}</span>}
            <Action
              look="danger"
              onAct={async () => {
                await client().request("grants.withdraw", { session, grant })
                await load()
              }}
            >
              Withdraw
            </Action>
          </li>
        ))}
      </ul>
    </details>
  )
}
