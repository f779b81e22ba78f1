import { useSignal } from "@preact/signals"
import { Action } from "../../parts/action.tsx"
import { client } from "../../state/client.ts"
import type { SandboxPlace } from "./sandbox-facts.ts"

/**
 * A server inside the sandbox, in a frame: another origin, which can neither leave the frame nor open windows. The tool
 * that agents use gives its address, so it is judged and recorded as theirs is.
 */
export function Preview({ session, sandbox }: SandboxPlace) {
  const port = useSignal("8000")
  const address = useSignal<string | null>(null)
  const show = async () => {
    const { envelope } = await client().request("calls.start", {
      ...{ session, sandbox, tool: "sandbox.browse", input: { port: Number(port.value) } },
    })
    const { ok, result, message } = Object(envelope)
    if (!ok) throw new Error(String(message))
    address.value = String(Object(result).url)
  }
  return (
    <section aria-label="Preview">
      <div class="row bar">
        <label class="row">
          Port
          <input
            type="number"
            min={1}
            max={65535}
            value={port.value}
            onInput={({ currentTarget }) => {
              port.value = currentTarget.value
            }}
          />
        </label>
        <Action look="main" onAct={show}>
          Show
        </Action>
        {address.value !== null && (
          <a href={address.value} target="_blank" rel="noopener noreferrer">
            {address.value}
          </a>
        )}
      </div>
      {address.value === null ? (
        <p class="empty">Shows a server that listens on a port inside this sandbox.</p>
      ) : (
        <iframe
          class="preview"
          title={`Port ${port.value} of ${sandbox}`}
          src={address.value}
          sandbox="allow-scripts allow-forms allow-same-origin"
          referrerpolicy="no-referrer"
        />
      )}
    </section>
  )
}
