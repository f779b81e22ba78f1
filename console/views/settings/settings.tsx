import { KeyTable } from "../../navigation/key-help.tsx"
import { Confirm } from "../../parts/confirm.tsx"
import { useLoaded } from "../../parts/use-loaded.ts"
import { client, signOut, thisDevice } from "../../state/client.ts"
import { type Theme, theme, themes } from "../../state/theme.ts"
import { NewToken } from "./new-token.tsx"
import { Notifications } from "./notifications.tsx"
import { type Token, TokenTable } from "./token-table.tsx"

export function Settings() {
  const { value, problem, load } = useLoaded(
    (signal) => client().request("tokens.list", {}, { signal }),
    [],
  )
  const tokens: readonly Token[] = value?.tokens ?? []
  const devices = tokens.filter(({ is_device }) => is_device)
  const others = tokens.filter(({ is_device }) => !is_device)
  return (
    <div class="settings">
      <h1>Settings</h1>
      {problem !== null && <p role="alert">{problem}</p>}
      <section aria-labelledby="look">
        <h2 id="look">Look</h2>
        <ThemeChoice />
      </section>
      <section aria-labelledby="notifications">
        <h2 id="notifications">Notifications</h2>
        <Notifications />
      </section>
      <section aria-labelledby="devices">
        <h2 id="devices">Devices</h2>
        <p class="quiet">
          Browsers that signed in by a link. <code>toolkeep link</code> prints a link for another
          one.
        </p>
        <TokenTable title="List of devices" tokens={devices} onChange={load} />
        <SignOut />
      </section>
      <section aria-labelledby="tokens">
        <h2 id="tokens">Tokens</h2>
        <p class="quiet">For agents and programs, each with no more than it needs.</p>
        <TokenTable title="List of tokens" tokens={others} onChange={load} />
        <NewToken onCreated={load} />
      </section>
      <section aria-labelledby="keys">
        <h2 id="keys">Keys</h2>
        <KeyTable />
      </section>
    </div>
  )
}

const themeNames: Readonly<Record<Theme, string>> = {
  system: "As the system",
  light: "Light",
  dark: "Dark",
}

function ThemeChoice() {
  return (
    <fieldset class="row">
      <legend>Theme</legend>
      {themes.map((one) => (
        <label key={one}>
          <input
            type="radio"
            name="theme"
            checked={theme.value === one}
            onChange={() => {
              theme.value = one
            }}
          />{" "}
          {themeNames[one]}
        </label>
      ))}
    </fieldset>
  )
}

/** The token is revoked, so that a copy of it is worth nothing. */
function SignOut() {
  return (
    <Confirm
      label="Sign out"
      title="Sign out of this browser?"
      onAct={async () => {
        const token = thisDevice()
        if (token !== null) await client().request("tokens.revoke", { token })
        signOut(null)
      }}
    >
      You need a new link to sign in again: <code>toolkeep link</code> prints one.
    </Confirm>
  )
}
