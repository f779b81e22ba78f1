import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import type { RouteAnswer } from "../../../src/api/index.ts"
import type { CallCard } from "../../model/card.ts"
import { fieldOf, numberOf } from "../../model/read-field.ts"
import { ShownText } from "../../parts/text/shown-text.tsx"
import { client } from "../../state/client.ts"

type Server = RouteAnswer<"server.show">
type Sandbox = RouteAnswer<"sandboxes.list">["sandboxes"][number]

/** The sandbox and the host, as they are now. */
export function Where({ call, session }: { readonly call: CallCard; readonly session: string }) {
  const server = useSignal<Server | null>(null)
  const sandbox = useSignal<Sandbox | null>(null)
  const name = call.sandbox ?? "default"
  useEffect(() => {
    const ended = new AbortController()
    const load = async () => {
      server.value = await client().request("server.show", {}, ended)
      const { sandboxes } = await client().request("sandboxes.list", { session }, ended)
      sandbox.value = sandboxes.find((one) => one.sandbox === name) ?? null
    }
    // What can't be read now is left out; the rest of the receipt is from the record.
    load().catch(() => {})
    return () => ended.abort()
  }, [session, name])
  const limits = fieldOf(server.value?.can, "limits")
  const rows: readonly (readonly [string, string | null])[] = [
    ["Sandbox", name],
    ["Directory", call.cwd],
    ["Agent", call.agent],
    ["Image", sandbox.value?.image ?? null],
    ["Network", sandbox.value?.network ?? null],
    ["Host", server.value ? `${server.value.host}: ${server.value.summary}` : null],
    ["Memory", server.value && bytesText(numberOf(limits, "memoryBytes"))],
    ["Disk", server.value && bytesText(numberOf(limits, "diskBytes"))],
    ["Processes", server.value && String(numberOf(limits, "processes") ?? "no limit")],
  ]
  return (
    <table>
      <tbody>
        {rows.map(
          ([about, text]) =>
            text !== null && (
              <tr key={about}>
                <th scope="row">{about}</th>
                <td>
                  <ShownText text={text} />
                </td>
              </tr>
            ),
        )}
      </tbody>
    </table>
  )
}

function bytesText(bytes: number | null): string {
  return bytes === null ? "no limit" : `at most ${Math.round(bytes / 1024 / 1024)} MiB`
}
