import type { Connections } from "../../http/index.ts"
import type { Terminal } from "./terminal.ts"

/** How to connect what people use, to be pasted as it is: first to this server, then without it. */
export function connectionLines(connections: Connections, { style }: Terminal): string[] {
  const show = (lines: Connections["to_own"]) =>
    lines.flatMap(({ client, paste, file }) => {
      const where = file === undefined ? "" : ` (in ${file})`
      const pasted = paste.split("\n").map((line) => `    ${line}`)
      return [`  ${style("bold", client)}${where}`, ...pasted]
    })
  return [
    "Connect an agent by pasting what is for it:",
    ...show(connections.to_this_server),
    "",
    "Or without a token: the agent starts a server of its own, with the same settings.",
    ...show(connections.to_own),
  ]
}
