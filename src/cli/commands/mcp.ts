import type { CommandRun } from "../flags/command.ts"

/** `toolkeep mcp`: alone it is a server; the rest is about the servers that are bridged in. */
export const mcp: CommandRun = async (given, terminal) => {
  if (given.positionals.length === 0) {
    const { serveMcp } = await import("./serve-mcp.ts")
    return serveMcp(given, terminal)
  }
  const { mcpServers } = await import("./mcp-servers.ts")
  return mcpServers(given, terminal)
}
