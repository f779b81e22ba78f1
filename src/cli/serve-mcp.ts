import { createId } from "../kit/index.ts"
import { createApprovalDesk, loadLineServer } from "../mcp/index.ts"
import { containFaults } from "../node/index.ts"
import { cleanSometimes, toolkeepHome } from "../session/index.ts"
import type { CommandRun } from "./command.ts"
import { faultLog } from "./fault-log.ts"
import { openSession } from "./open-session.ts"
import { readMountRoots, requireMounts } from "./read-mount-roots.ts"
import { readSandbox } from "./read-sandbox.ts"
import { stopSignal } from "./stop-signal.ts"

/** `toolkeep mcp`. Standard output is the protocol's, so everything for people goes to the other one. */
export const serveMcp: CommandRun = async (given, terminal) => {
  using _contained = containFaults(faultLog(terminal))
  const sandbox = readSandbox(given)
  const mountRoots = readMountRoots(given)
  const desk = createApprovalDesk()
  // Loaded while the session opens.
  const loading = loadLineServer()
  const keepCalls = given.is("keep")
  // Each process has artifacts of its own, but for those that should be found again.
  const name = keepCalls ? "mcp" : createId("mcp")
  const opened = await openSession(given, terminal, { approve: desk.approve, name })
  const { keep, session, dialect } = opened
  const stopCleaning = cleanSometimes(toolkeepHome())
  try {
    requireMounts(keep.host, mountRoots)
    const { serveLines } = await loading
    await serveLines({
      session,
      speak: dialect ? () => dialect : undefined,
      desk,
      sandbox,
      agent: given.text("agent"),
      provider: given.text("provider"),
      keepCalls,
      mountRoots,
      input: process.stdin,
      output: process.stdout,
      signal: stopSignal(),
    })
    return 0
  } finally {
    stopCleaning()
    await keep.close()
  }
}
