import { useSignal } from "@preact/signals"
import { Action } from "../../parts/action.tsx"
import { Copy } from "../../parts/copy.tsx"
import { Field } from "../../parts/field.tsx"
import { client } from "../../state/client.ts"
import { sessions } from "../../state/sessions.ts"
import type { Token } from "./token-table.tsx"

const kinds: readonly (readonly [Token["kind"], string])[] = [
  ["session", "One session: read it and call its tools"],
  ["read", "Read only: every session, no calls"],
  ["approve", "Answer questions, and nothing else"],
  ["owner", "Everything, as you"],
]

const hourMs = 3_600_000
const lives: readonly (readonly [string, number | null])[] = [
  ["In an hour", hourMs],
  ["In a day", 24 * hourMs],
  ["In 30 days", 30 * 24 * hourMs],
  ["In a year", 365 * 24 * hourMs],
  ["Never", null],
]

/** The form, and after it the secret, which no later request shows. */
export function NewToken({ onCreated }: { readonly onCreated: () => Promise<void> }) {
  const name = useSignal("")
  const kind = useSignal<Token["kind"]>("session")
  const session = useSignal("")
  const life = useSignal("In 30 days")
  const secret = useSignal<string | null>(null)
  const create = async () => {
    const lifeMs = lives.find(([label]) => label === life.value)?.[1] ?? null
    const created = await client().request("tokens.create", {
      name: name.value || "unnamed",
      kind: kind.value,
      ...(kind.value === "session" && { session: session.value }),
      ...(lifeMs !== null && { expires_after_ms: lifeMs }),
    })
    secret.value = created.secret
    name.value = ""
    await onCreated()
  }
  return (
    <details>
      <summary>New token</summary>
      <div class="form">
        <Field label="Name">
          <input
            value={name.value}
            maxLength={100}
            onInput={({ currentTarget }) => {
              name.value = currentTarget.value
            }}
          />
        </Field>
        <Field label="May">
          <select
            value={kind.value}
            onChange={({ currentTarget }) => {
              kind.value = currentTarget.value as Token["kind"]
            }}
          >
            {kinds.map(([value, label]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
        </Field>
        {kind.value === "session" && (
          <Field label="Session" hint="It need not exist yet.">
            <input
              list="session-names"
              value={session.value}
              onInput={({ currentTarget }) => {
                session.value = currentTarget.value
              }}
            />
            <datalist id="session-names">
              {sessions.value.map((one) => (
                <option key={one.name} value={one.name} />
              ))}
            </datalist>
          </Field>
        )}
        <Field label="Expires">
          <select
            value={life.value}
            onChange={({ currentTarget }) => {
              life.value = currentTarget.value
            }}
          >
            {lives.map(([label]) => (
              <option key={label}>{label}</option>
            ))}
          </select>
        </Field>
        <div class="row">
          <Action look="main" onAct={create}>
            Create token
          </Action>
        </div>
        {secret.value !== null && <Secret text={secret.value} />}
      </div>
    </details>
  )
}

function Secret({ text }: { readonly text: string }) {
  return (
    <div class="secret" role="status">
      <p>Copy the token now: it is not shown again.</p>
      <div class="row">
        <code>{text}</code>
        <Copy text={text} what="the token" />
      </div>
    </div>
  )
}
