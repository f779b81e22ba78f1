import type { Settings } from "../config/index.ts"
import type { CallLimits, Capabilities } from "../contract/index.ts"
import type { Pool, PreviewHub } from "../sandbox/index.ts"
import type { Artifacts } from "../store/index.ts"
import type { ToolLoading } from "./search/search-tool.ts"
import type { VisibleSessions } from "./sessions/session-tools.ts"
import type { WorkPool } from "./work/session-work.ts"

/** What the canonical tools of one session depend on. */
export interface ToolDeps {
  readonly can: Capabilities
  /** Toolkeep's own. */
  readonly version: string
  /** The session's name. */
  readonly session: string
  /** Where Toolkeep keeps what it makes. */
  readonly home: string
  /** Whose memory it is, by a name; that of the user who runs Toolkeep when absent. */
  readonly memory?: string | undefined
  readonly settings: Settings
  /** What the session's calls are held to. */
  readonly limits: CallLimits
  readonly sandboxes: Pool
  /** Where the previews of all sessions are served; those of this one have a server of their own when absent. */
  readonly previewHub?: PreviewHub | undefined
  /** Files for the person: what a tool shares, draws or photographs. */
  readonly artifacts: Artifacts
  /** Where models may be shown a few tools at first: how tools.search finds the others. */
  readonly loading?: ToolLoading | undefined
  /** Shared by all sessions of a Toolkeep, so that they take turns; a pool of its own when absent. */
  readonly work?: WorkPool | undefined
  /** The recorded sessions that it may see; absent where it is not recorded itself. */
  readonly sessions?: VisibleSessions | undefined
  /** What a family opened on first use, it closes here: called when the session ends. */
  readonly onClose: (close: () => Promise<void>) => void
}
