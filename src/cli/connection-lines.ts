import type { Terminal } from "./terminal.ts"

interface Connection {
  readonly url: string
  readonly token: string
  readonly terminal: Terminal
}

/** How to connect what people use: one line each, to be pasted as it is. */
export function connectionLines({ url, token, terminal }: Connection): string[] {
  const header = `Authorization: Bearer ${token}`
  const headers = { Authorization: `Bearer ${token}` }
  const own = { command: process.execPath, args: [process.argv[1] ?? "toolkeep", "mcp"] }
  const vsCode = JSON.stringify({ name: "toolkeep", type: "http", url, headers })
  const lines = [
    ["Claude Code", `claude mcp add --transport http toolkeep ${url} --header "${header}"`],
    [
      "Claude Desktop",
      `{"mcpServers": {"toolkeep": ${JSON.stringify(own)}}}`,
      "claude_desktop_config.json",
    ],
    [
      "Cursor",
      `{"mcpServers": {"toolkeep": ${JSON.stringify({ url, headers })}}}`,
      "~/.cursor/mcp.json",
    ],
    ["VS Code", `code --add-mcp '${vsCode}'`],
    [
      "Inspector",
      `npx @modelcontextprotocol/inspector --cli ${url} --transport http --header "${header}" --method tools/list`,
    ],
  ] as const
  return lines.flatMap(([name, line, file]) => {
    const where = file === undefined ? "" : ` (in ${file})`
    return [`  ${terminal.style("bold", name)}${where}`, `    ${line}`]
  })
}
