import { writeFile } from "node:fs/promises"
import { errorCode } from "../../kit/index.ts"
import { type CommandRun, UsageError } from "../flags/command.ts"
import { defaultFile } from "../flags/open-session.ts"

/** `toolkeep init`. */
export const init: CommandRun = async (_given, terminal) => {
  await writeFile(defaultFile, starterConfig, { flag: "wx" }).catch((error: unknown) => {
    if (errorCode(error) !== "EEXIST") throw error
    throw new UsageError(`${defaultFile} exists already and was not changed.`)
  })
  await terminal.print(`Wrote ${defaultFile}. toolkeep commands in this directory use it.\n`)
  return 0
}

const starterConfig = `# The configuration of Toolkeep, used by every toolkeep command that runs in this directory.
# All keys: https://github.com/toolkeep/toolkeep/blob/main/docs/configuration.md

tools:
  # The profile: minimal, messaging, coding or full. toolkeep policy explain <tool> shows what decides.
  policy: full

  # Rules about arguments. The expressions are regular expressions.
  # rules:
  #   - deny: shell.exec
  #     when: { command: "\\\\bgit push\\\\b" }
  #     because: Pushing is for people.

  # Tools that a person has to approve, each time: on the terminal or in the MCP client.
  # hooks:
  #   confirm: ["file.write", "mcp:*"]

# Other MCP servers, whose tools are added as mcp:server:tool.
# mcpServers:
#   memory: { command: npx, args: ["-y", "@modelcontextprotocol/server-memory"] }

# What web and browser tools may reach. Without it, every public address.
# network: { reach: allow-list, allow: ["example.com"] }

# Models to use instead of those on this machine. The API key is read from the variable.
# models:
#   vision: { url: "https://api.example.com/v1", model: a-model, key_from: EXAMPLE_API_KEY }
`
