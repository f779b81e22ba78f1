import type { DiskSettings, Settings } from "../config/index.ts"
import type { CallLimits, Network, Tool } from "../contract/index.ts"
import type { Vocabulary } from "../dialects/index.ts"
import type { Clock } from "../kit/index.ts"
import type { Policy } from "../policy/index.ts"
import type { Approver } from "../runtime/index.ts"
import type { HomeTotal, Host, Pool, PreviewHub } from "../sandbox/index.ts"
import type { SessionRecord } from "../store/index.ts"
import type { VisibleSessions, WorkPool } from "../tools/index.ts"
import type { ChildOptions, Session } from "./session.ts"
import type { Defer } from "./tools/shown-tools.ts"
import type { OpenToolSource } from "./tools/tool-source.ts"

export interface SessionDeps {
  readonly name: string
  readonly host: Host
  readonly policy: Policy
  readonly approve?: Approver
  readonly tools?: readonly Tool[]
  /** The words that models use; the canonical ones when absent. */
  readonly openVocabulary?: ((environment: string) => Vocabulary) | undefined
  readonly clock?: Clock
  /** Where the session's sandboxes are remembered; they end with it when absent. */
  readonly directory?: string | undefined
  /** Whether it is looked at what calls do in their sandboxes. */
  readonly effects?: boolean | undefined
  readonly commandsPerTurn?: number | undefined
  /** Where Toolkeep keeps what it makes; `toolkeepHome()` when absent. */
  readonly home?: string | undefined
  /** Whose memory its tools use, by a name; the one of who runs Toolkeep when absent. */
  readonly memory?: string | undefined
  readonly settings?: Settings | undefined
  readonly disk?: DiskSettings | undefined
  /** What calls are held to; the default when absent. */
  readonly callLimits?: CallLimits | undefined
  /** What all sessions have together of the disk. */
  readonly homeTotal?: HomeTotal | undefined
  /** What sandboxes may reach when nothing is said for one, and the most that any of them may. */
  readonly network?: Network | undefined
  readonly defer?: Defer | undefined
  /** Tools that come later, such as those of bridged MCP servers. */
  readonly sources?: readonly OpenToolSource[] | undefined
  /** The sandboxes that it works in without owning them; its own when absent. */
  readonly sharedPool?: Pool | undefined
  /** The directory where paths start, where a call does not say otherwise. */
  readonly cwd?: string | undefined
  /** Opens a session for a task; where absent, it has none. */
  readonly openChild?: ((parent: ParentSession, options: ChildOptions) => Session) | undefined
  /** Opens its record; what happens in it is not recorded when absent. */
  readonly openRecord?: (() => Promise<SessionRecord>) | undefined
  /** The recorded sessions that its tools may see. */
  readonly sessions?: VisibleSessions | undefined
  /** Where the previews of all sessions are served; each has a server of its own when absent. */
  readonly previewHub?: PreviewHub | undefined
  /** What sessions share that take turns; its own when absent. */
  readonly work?: WorkPool | undefined
}

/** What a child gets of its parent. */
export interface ParentSession {
  readonly pool: Pool
  readonly cwd: string | undefined
  readonly record: (() => Promise<SessionRecord>) | null
}
