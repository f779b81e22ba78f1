import { ToolFailure } from "../../contract/index.ts"
import { createId } from "../../kit/index.ts"
import { loadStdio, type StdioOptions, serveStdio } from "../../mcp/index.ts"
import { containFaults } from "../../node/index.ts"
import { cleanSometimes, type Session, type Toolkeep, toolkeepHome } from "../../session/index.ts"
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
  const isNamed = given.text("session") !== undefined
  const opening = { name: createId("mcp"), isServer: true }
  const { keep, session: own } = await openSession(given, terminal, opening)
  const stopCleaning = cleanSometimes(toolkeepHome())
  try {
    requireMounts(keep.host, options.mountRoots)
    const session = options.persistAnswers && !isNamed ? await openKept(keep, options) : own
    await serveStdio(session, { ...options, signal: stopSignal() })
    return 0
  } finally {
    stopCleaning()
    await keep.close()
  }
}

/** The session that the last process has left, or another one while that process runs. */
async function openKept(
  keep: Toolkeep,
  { mountRoots }: Pick<StdioOptions, "mountRoots">,
): Promise<Session> {
  // A sandbox that lasts would keep the roots of its first client.
  const options = { durable: mountRoots === undefined, record: true }
  for (let number = 1; ; number += 1) {
    try {
      const session = keep.session(number === 1 ? "mcp" : `mcp-${number}`, options)
      await session.record?.()
      return session
    } catch (error) {
      if (number === mostServers || !(error instanceof ToolFailure)) throw error
    }
  }
}

/** More than anybody runs side by side. */
const mostServers = 32
