import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import type { RouteAnswer } from "../../src/api/index.ts"
import { Action } from "../parts/action.tsx"
import { client, signOut } from "../state/client.ts"

type Token = RouteAnswer<"tokens.list">["tokens"][number]

export function Settings() {
  const tokens = useSignal<readonly Token[]>([])
  const load = async () => {
    tokens.value = (await client().request("tokens.list", {})).tokens
  }
  useEffect(() => void load(), [])
  return (
    <>
      <h1>Settings</h1>
      <h2>Devices and tokens</h2>
      <ul class="tokens">
        {tokens.value.map(({ token, name, kind }) => (
          <li key={token}>
            <span>{name}</span> <span class="quiet">{kind}</span>
            <Action
              look="danger"
              onAct={async () => {
                await client().request("tokens.revoke", { token })
                await load()
              }}
            >
              Revoke
            </Action>
          </li>
        ))}
      </ul>
      <button type="button" onClick={() => signOut(null)}>
        Sign out here
      </button>
    </>
  )
}
