import { createClient } from "../../api/index.ts"
import { toolkeepHome } from "../../session/index.ts"
import { type CommandRun, UsageError } from "../flags/command.ts"
import { consoleLink } from "./console-link.ts"
import { runningServer } from "./running-server.ts"

/** `toolkeep link`. */
export const link: CommandRun = async (_given, terminal) => {
  const server = runningServer(toolkeepHome())
  if (!server) throw new UsageError("no server runs with this home. Start one with toolkeep up.")
  const { code } = await createClient(server).request("codes.create", {})
  await terminal.print(`${consoleLink(server.address, code)}\n`)
  return 0
}
