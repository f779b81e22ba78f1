import type { RouteAnswer } from "../api/index.ts"
import { quoteArguments } from "../kit/index.ts"

export interface ConnectionOptions {
  readonly url: string
  readonly token: string
  /** The command line of a server like this one, for clients that start theirs themselves. */
  readonly program: readonly [string, ...string[]]
}

/** How to connect what people use, to be pasted as it is. */
export type Connections = RouteAnswer<"server.connections">

/** A client, what to paste for it, and into which file; without a file it is a command. */
type Line = readonly [client: string, paste: string | readonly string[], file?: string]

/** First to this server, then without it. */
export function connectionsOf(options: ConnectionOptions): Connections {
  return { to_this_server: asData(toThisServer(options)), to_own: asData(toOwnServers(options)) }
}

function asData(lines: readonly Line[]): Connections["to_own"] {
  return lines.map(([client, paste, file]) => ({
    ...{ client, paste: [paste].flat().join("\n") },
    ...(file !== undefined && { file }),
  }))
}

/**
 * Each line names sandboxes of its own, since clients of the newer generation of the protocol have nothing else that
 * tells them apart.
 */
function toThisServer({ url, token }: ConnectionOptions): readonly Line[] {
  const urlOf = (session: string) => `${url}?session=${session}`
  const header = `Authorization: Bearer ${token}`
  const headers = { Authorization: `Bearer ${token}` }
  const cursor = { mcpServers: { toolkeep: { url: urlOf("cursor"), headers } } }
  const vsCode = { name: "toolkeep", type: "http", url: urlOf("vscode"), headers }
  return [
    [
      "Claude Code",
      `claude mcp add --transport http toolkeep "${urlOf("claude-code")}" --header "${header}"`,
    ],
    ["Cursor", JSON.stringify(cursor), "~/.cursor/mcp.json"],
    ["VS Code", `code --add-mcp ${commandLine([JSON.stringify(vsCode)])}`],
    [
      "Codex",
      [
        "[mcp_servers.toolkeep]",
        `url = ${JSON.stringify(urlOf("codex"))}`,
        `http_headers = { Authorization = ${JSON.stringify(headers.Authorization)} }`,
      ],
      "~/.codex/config.toml",
    ],
    [
      "Gemini CLI",
      `gemini mcp add --scope user --transport http --header "${header}" toolkeep "${urlOf("gemini")}"`,
    ],
    [
      "Inspector",
      `npx @modelcontextprotocol/inspector --cli "${urlOf("inspector")}" --transport http --header "${header}" --method tools/list`,
    ],
  ]
}

function toOwnServers({ program }: ConnectionOptions): readonly Line[] {
  const [command, ...args] = program
  const whole = commandLine(program)
  const config = { mcpServers: { toolkeep: { command, args } } }
  const vsCode = { name: "toolkeep", command, args }
  return [
    ["Claude Code", `claude mcp add toolkeep -- ${whole}`],
    ["Claude Desktop", JSON.stringify(config), "claude_desktop_config.json"],
    ["Cursor", JSON.stringify(config), "~/.cursor/mcp.json"],
    ["VS Code", `code --add-mcp ${commandLine([JSON.stringify(vsCode)])}`],
    ["Codex", `codex mcp add toolkeep -- ${whole}`],
    ["Gemini CLI", `gemini mcp add --scope user toolkeep ${forGemini(program)}`],
  ]
}

/** Gemini CLI takes words that begin with "-" for its own, unless they come after a "--". */
function forGemini(program: readonly string[]): string {
  const first = program.findIndex((word) => word.startsWith("-"))
  if (first === -1) return commandLine(program)
  return `${commandLine(program.slice(0, first))} -- ${commandLine(program.slice(first))}`
}

/** For a POSIX shell, with quotes only where they are needed. */
function commandLine(words: readonly string[]): string {
  return words
    .map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : quoteArguments([word])))
    .join(" ")
}
