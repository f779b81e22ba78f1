import { createId } from "../../kit/index.ts"
import { loadStdio, serveStdio } from "../../mcp/index.ts"
import { containFaults } from "../../node/index.ts"
import { cleanSometimes, toolkeepHome } from "../../session/index.ts"
import type { CommandRun } from "../flags/command.ts"
import { openSession } from "../flags/open-session.ts"
import { readMountRoots, readSandbox, requireMounts } from "../flags/read-flags.ts"
import { faultLog } from "../output/terminal.ts"
import { stopSignal } from "./stop-signal.ts"

/** `toolkeep mcp`. Standard output is the protocol's, so everything for people goes to the other one. */
export const serveMcp: CommandRun = async (given, terminal) => {
  using _contained = containFaults(faultLog(terminal))
  const sandbox = readSandbox(given)
  const mountRoots = readMountRoots(given)
  // While the session opens (bench row mcp-start); `serveStdio` reports what goes wrong.
  loadStdio().catch(() => {})
  const persistAnswers = given.is("keep")
  // Each process has artifacts of its own, but for those that should be found again.
  const name = persistAnswers ? "mcp" : createId("mcp")
  const { keep, session } = await openSession(given, terminal, { name })
  const stopCleaning = cleanSometimes(toolkeepHome())
  try {
    requireMounts(keep.host, mountRoots)
    await serveStdio(session, {
      sandbox,
      agent: given.text("agent"),
      provider: given.text("provider"),
      persistAnswers,
      mountRoots,
      signal: stopSignal(),
    })
    return 0
  } finally {
    stopCleaning()
    await keep.close()
  }
}
