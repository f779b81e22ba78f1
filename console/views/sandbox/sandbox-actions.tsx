import { useSignal } from "@preact/signals"
import { useLocation } from "preact-iso"
import { sandboxPath, sessionPath } from "../../navigation/views.ts"
import { Action } from "../../parts/action.tsx"
import { Confirm } from "../../parts/confirm.tsx"
import { Dialog } from "../../parts/dialog.tsx"
import { Field } from "../../parts/field.tsx"
import { client } from "../../state/client.ts"
import type { Sandbox } from "./sandbox-facts.ts"

interface SandboxActionsProps {
  readonly session: string
  readonly sandbox: Sandbox
  /** Of the same session. */
  readonly others: readonly Sandbox[]
  readonly onChange: () => Promise<void>
}

export function SandboxActions({ session, sandbox: facts, others, onChange }: SandboxActionsProps) {
  const { route } = useLocation()
  const { sandbox, status } = facts
  const place = { session, sandbox }
  return (
    <div class="row">
      {status === "running" ? (
        <Action onAct={() => client().request("sandboxes.sleep", place).then(onChange)}>
          Sleep
        </Action>
      ) : (
        <Action onAct={() => client().request("sandboxes.wake", place).then(onChange)}>Wake</Action>
      )}
      <Fork
        onFork={async (to) => {
          await client().request("sandboxes.fork", { ...place, to })
          route(sandboxPath(session, to))
        }}
      />
      {others.length > 0 && <Transfer session={session} from={sandbox} others={others} />}
      <Confirm
        label="Destroy"
        title={`Destroy ${sandbox}?`}
        onAct={async () => {
          await client().request("sandboxes.destroy", place)
          route(sessionPath(session))
        }}
      >
        Its processes end and its files are removed. This can't be undone.
      </Confirm>
    </div>
  )
}

function Fork({ onFork }: { readonly onFork: (to: string) => Promise<void> }) {
  const isOpen = useSignal(false)
  const to = useSignal("")
  const close = () => {
    isOpen.value = false
  }
  return (
    <>
      <button
        type="button"
        onClick={() => {
          isOpen.value = true
        }}
      >
        Fork…
      </button>
      {isOpen.value && (
        <Dialog title="Fork this sandbox" onClose={close}>
          <Field label="Name of the new sandbox" hint="It gets a copy of all files.">
            <input
              value={to.value}
              onInput={({ currentTarget }) => {
                to.value = currentTarget.value
              }}
            />
          </Field>
          <footer class="row">
            <button type="button" onClick={close}>
              Cancel
            </button>
            <Action look="main" onAct={() => onFork(to.value).then(close)}>
              Fork
            </Action>
          </footer>
        </Dialog>
      )}
    </>
  )
}

interface TransferProps {
  readonly session: string
  readonly from: string
  readonly others: readonly Sandbox[]
}

function Transfer({ session, from, others }: TransferProps) {
  const isOpen = useSignal(false)
  const path = useSignal("")
  const to = useSignal(others[0]?.sandbox ?? "")
  const done = useSignal<string | null>(null)
  const transfer = async () => {
    const { bytes } = await client().request("sandboxes.transfer", {
      ...{ session, from_sandbox: from, from_path: path.value },
      ...{ to_sandbox: to.value, to_path: path.value, recursive: true },
    })
    done.value = `${bytes} bytes are in ${to.value} now.`
  }
  return (
    <>
      <button
        type="button"
        onClick={() => {
          isOpen.value = true
        }}
      >
        Transfer…
      </button>
      {isOpen.value && (
        <Dialog
          title="Copy files to another sandbox"
          onClose={() => {
            isOpen.value = false
          }}
        >
          <div class="form">
            <Field label="File or directory">
              <input
                value={path.value}
                onInput={({ currentTarget }) => {
                  path.value = currentTarget.value
                }}
              />
            </Field>
            <Field label="To" hint="It has the same path there.">
              <select
                value={to.value}
                onChange={({ currentTarget }) => {
                  to.value = currentTarget.value
                }}
              >
                {others.map(({ sandbox }) => (
                  <option key={sandbox}>{sandbox}</option>
                ))}
              </select>
            </Field>
            <p role="status">{done.value}</p>
          </div>
          <footer class="row">
            <button
              type="button"
              onClick={() => {
                isOpen.value = false
              }}
            >
              Close
            </button>
            <Action look="main" onAct={transfer}>
              Copy
            </Action>
          </footer>
        </Dialog>
      )}
    </>
  )
}
