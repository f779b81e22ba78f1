import type {
  CallContext,
  CallEffects,
  CallLimits,
  Envelope,
  FailureDetails,
  Workspace,
} from "../contract/index.ts"
import type { PathStart } from "../policy/index.ts"
import type { Approver } from "./approval.ts"

/** In which form of a result, and in the words of which dialect, an MCP client gets an answer. */
export interface AnswerForm {
  readonly form: "text" | "structured" | "both"
  readonly dialect?: string
}

/**
 * Works in the place of a tool, for a caller whose bytes go beside the envelope. It has no deadline but the caller's own,
 * and does what the input says: that is what was judged, and a person may have edited it.
 */
export type CallWork = (input: unknown, context: CallContext, tool: ReplacedTool) => unknown

/** What the work stands in the place of. */
export interface ReplacedTool {
  /** What the tool itself would do. */
  readonly run: (input: unknown, context: CallContext) => unknown
  readonly limits: CallLimits
}

/** One use of a tool, as it was requested. */
export interface CallRequest {
  readonly tool: string
  /** An object, or its JSON text. */
  readonly input?: unknown
  /** Why the call is refused whatever it asks for: it is recorded and answered, and never run. */
  readonly refusal?: FailureDetails | undefined
  /** Made up when absent. */
  readonly id?: string | undefined
  readonly agent?: string | undefined
  /** The agents on whose behalf that one works: the call has to be allowed for each of them. */
  readonly ancestors?: readonly string[] | undefined
  readonly provider?: string | undefined
  readonly signal?: AbortSignal | undefined
  /** A deadline of the caller's own; the tool's cap still holds. */
  readonly timeoutMs?: number | undefined
  /** What the caller finds this call by in the record, as JSON. Such a call is recorded before it starts, also if it only reads. */
  readonly origin?: unknown
  /** How the caller gets the answer, where that is not the envelope; recorded with the call. */
  readonly answerForm?: AnswerForm | undefined
  readonly sandbox?: SandboxBinding | undefined
  /** Why a person is asked first, also where the policy allows the call. */
  readonly ask?: string | undefined
  /** Asks a person about this call; the runtime's own when absent. */
  readonly approve?: Approver | undefined
  /** Works in the place of the tool: the call is checked, judged, asked about and recorded as one of the tool all the same. */
  readonly work?: CallWork | undefined
}

/** The sandbox a call is bound to, and how any of the session's is reached, made on first use. */
export interface SandboxBinding {
  readonly name: string
  readonly workspace: (name: string) => Promise<Workspace>
  /** From where paths start in it; asked for where a rule looks at one. */
  readonly start?: (name: string) => Promise<PathStart>
  /** The directory where paths start, where the caller chose one. */
  readonly cwd?: string | undefined
  /** Looks at what a call does in it; absent where nobody wants to know. */
  readonly observe?: ((name: string, call: string) => Promise<SandboxObservation>) | undefined
  /** Another number when the name stands for another sandbox than before, or for the same with another reach. */
  readonly revision?: ((name: string) => number) | undefined
}

/** Looks at a sandbox from the start of a call to its end. */
export interface SandboxObservation {
  /** The same workspace, where what is cut from outputs is counted. */
  watched(workspace: Workspace): Workspace
  /** What was cut from the answer beside that; null where nobody counted it. */
  end(cutBytes: number | null): Promise<CallEffects>
}

/** A call under way. */
export interface RunningCall {
  readonly id: string
  readonly tool: string
  /** When it was requested, in milliseconds since 1970. */
  readonly startedAt: number
  /** Resolves exactly once and never rejects. */
  readonly envelope: Promise<Envelope>
  /** A person ends the call: a command answers with what it has, `killed_by: "user"`. */
  readonly terminate: () => void
  /** The caller ends the call, as its signal would. */
  readonly cancel: (reason: unknown) => void
  /** Whether it has ended without an answer, because a person will answer later. Its envelope says so then. */
  readonly isParked: () => boolean
}
