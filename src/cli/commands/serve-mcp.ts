import { createId } from "../../kit/index.ts"
import { loadStdio, serveStdio } from "../../mcp/index.ts"
import { containFaults } from "../../node/index.ts"
import { cleanSometimes, toolkeepHome } from "../../session/index.ts"
import type { CommandRun } from "../flags/command.ts"
import { openSession } from "../flags/open-session.ts"
import { readClientOptions, requireMounts } from "../flags/read-flags.ts"
import { faultLog } from "../output/terminal.ts"
import { stopSignal } from "../stop-signal.ts"

/** `toolkeep mcp`. Standard output is the protocol's, so everything for people goes to the other one. */
export const serveMcp: CommandRun = async (given, terminal) => {
  using _contained = containFaults(faultLog(terminal))
  const options = readClientOptions(given)
  // While the session opens (bench row mcp-start); `serveStdio` reports what goes wrong.
  loadStdio().catch(() => {})
  // Each process has artifacts of its own, but for those that should be found again.
  const name = options.persistAnswers ? "mcp" : createId("mcp")
  const { keep, session } = await openSession(given, terminal, { name })
  const stopCleaning = cleanSometimes(toolkeepHome())
  try {
    requireMounts(keep.host, options.mountRoots)
    await serveStdio(session, { ...options, signal: stopSignal() })
    return 0
  } finally {
    stopCleaning()
    await keep.close()
  }
}
