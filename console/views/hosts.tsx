import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import type { RouteAnswer } from "../../src/api/index.ts"
import { failureText } from "../parts/action.tsx"
import { Scroll } from "../parts/scroll.tsx"
import { ShownText } from "../parts/shown-text.tsx"
import { client } from "../state/client.ts"

type Server = RouteAnswer<"server.show">

/** The host of this server's sandboxes, and what it promises. */
export function Hosts() {
  const server = useSignal<Server | null>(null)
  const problem = useSignal<string | null>(null)
  useEffect(() => {
    client()
      .request("server.show", {})
      .then(
        (shown) => {
          server.value = shown
        },
        (error: unknown) => {
          problem.value = failureText(error)
        },
      )
  }, [])
  return (
    <>
      <h1>Hosts</h1>
      {problem.value !== null && <p role="alert">{problem.value}</p>}
      {server.value && <Host server={server.value} />}
    </>
  )
}

function Host({ server: { host, summary, fallback, can } }: { readonly server: Server }) {
  return (
    <section aria-labelledby="host">
      <h2 id="host">
        {host} <span class="badge good">in use</span>
      </h2>
      <p>{summary}</p>
      {fallback !== null && <p class="problem">{fallback}</p>}
      <p class="quiet">
        These are its promises. <code>toolkeep conform --host {host}</code> proves them on this
        machine.
      </p>
      <Scroll label="Promises">
        <table>
          <thead>
            <tr>
              <th scope="col">Promise</th>
              <th scope="col">Says</th>
            </tr>
          </thead>
          <tbody>
            {Object.entries(Object(can)).map(([name, value]) => (
              <tr key={name}>
                <th scope="row">
                  <code>{name}</code>
                </th>
                <td>
                  <ShownText text={inWords(value)} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
    </section>
  )
}

function inWords(value: unknown): string {
  if (typeof value === "boolean") return value ? "yes" : "no"
  if (value === null) return "none"
  if (Array.isArray(value)) return value.map(inWords).join(", ") || "none"
  if (typeof value !== "object") return String(value)
  return Object.entries(value)
    .map(([name, part]) => `${name}: ${inWords(part)}`)
    .join("; ")
}
