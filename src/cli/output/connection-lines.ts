import type { Terminal } from "./terminal.ts"

interface Connection {
  readonly url: string
  readonly token: string
  readonly terminal: Terminal
}

/**
 * How to connect what people use: one line each, to be pasted as it is. Each names sandboxes of its own, since
 * clients of the newer generation of the protocol have nothing else that tells them apart.
 */
export function connectionLines({ url, token, terminal }: Connection): string[] {
  const urlOf = (session: string) => `${url}?session=${session}`
  const header = `Authorization: Bearer ${token}`
  const headers = { Authorization: `Bearer ${token}` }
  const own = { command: process.execPath, args: [process.argv[1] ?? "toolkeep", "mcp"] }
  const vsCode = { name: "toolkeep", type: "http", url: urlOf("vscode"), headers }
  const lines = [
    [
      "Claude Code",
      `claude mcp add --transport http toolkeep "${urlOf("claude-code")}" --header "${header}"`,
    ],
    [
      "Claude Desktop",
      `{"mcpServers": {"toolkeep": ${JSON.stringify(own)}}}`,
      "claude_desktop_config.json",
    ],
    [
      "Cursor",
      `{"mcpServers": {"toolkeep": ${JSON.stringify({ url: urlOf("cursor"), headers })}}}`,
      "~/.cursor/mcp.json",
    ],
    ["VS Code", `code --add-mcp '${JSON.stringify(vsCode)}'`],
    [
      "Inspector",
      `npx @modelcontextprotocol/inspector --cli "${urlOf("inspector")}" --transport http --header "${header}" --method tools/list`,
    ],
  ] as const
  return lines.flatMap(([name, line, file]) => {
    const where = file === undefined ? "" : ` (in ${file})`
    return [`  ${terminal.style("bold", name)}${where}`, `    ${line}`]
  })
}
