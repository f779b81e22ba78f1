import type {
  Envelope,
  FailureDetails,
  ResultView,
  Success,
  Tool,
  ToolObject,
  Workspace,
} from "../contract/index.ts"
import type { DialectAnswer } from "../dialects/index.ts"
import type { Caller, Grants } from "../policy/index.ts"
import type { AnswerForm, Approver, CallEvent, CallWork, RunningCall } from "../runtime/index.ts"
import type { Pool, PoolEvent } from "../sandbox/index.ts"
import type { Artifacts, RecordEntry, SessionRecord } from "../store/index.ts"
import type { AnswerCalls } from "./answers/answer-calls.ts"
import type { EventQuery } from "./record/record-access.ts"
import type { AddOptions } from "./tools/add-tools.ts"
import type { CallExplanation, ImaginedCall } from "./tools/explain-call.ts"
import type { SandboxView } from "./tools/sandbox-tools.ts"
import type { ShownTools } from "./tools/shown-tools.ts"
import type { CallArguments, ResultOf, ToolName } from "./tools/tool-types.ts"

/** `Own`: the program's own tools, which `call` knows beside the built-in ones. */
export interface Session<Own extends Tool = Tool> extends AsyncDisposable {
  readonly name: string
  /** The dialect that `tools`, `start`, `show` and `render` speak; null for the canonical words. */
  readonly dialect: string | null
  /**
   * The tools this session may use: what the host can keep and the policy shows. Where those are many, only
   * the default ones, tools.search and what it has found or was called: each of them can be called all the same.
   */
  readonly tools: ShownTools["tools"]
  /** Hears that `tools()` may answer otherwise than before; the returned function stops that. */
  watchTools(watcher: () => void): () => void
  /**
   * Starts what tells its tools only then, such as bridged MCP servers, and resolves when `tools()` has
   * them: of all sources, or only what this tool may come from. A call of a tool does that by itself.
   */
  prepare(tool?: string): Promise<void>
  /** Adds tools while the session is open; the returned function takes them away again. */
  addTools(tools: readonly (Tool | ToolObject)[], options?: AddOptions): () => void
  /** Every tool there is, also those that the policy hides or that lack a part. */
  allTools(): Tool[]
  /** Calls a tool whose name the program knows, in the canonical words: input and result have its types. */
  call<Name extends ToolName<Own>>(
    tool: Name,
    ...rest: CallArguments<Own, Name, CallOptions>
  ): Promise<Envelope<ResultOf<Own, Name>>>
  /**
   * Starts a call as a model or a client sent it, with a handle to watch it and to end it. In a session with a
   * dialect, call and answer are in its words; policy, approvals and events keep the canonical ones.
   */
  start(tool: string, input?: unknown, options?: CallOptions): RunningCall
  /** The calls under way, the oldest first, those of all callers. */
  running(): readonly RunningCall[]
  /** Answers a model's tool calls: takes them as the provider's API gives them, answers as that API takes it back. */
  readonly answer: AnswerCalls<CallOptions>
  /** A successful result as a text for people and models, as its tool shows it. */
  show(envelope: Success, view?: ResultView): string
  /** An answer as a model reads it: tools are called as its list shows them, and no path of this machine is told. */
  forModel(envelope: Envelope): Envelope
  /** An answer in the form of the session's dialect; the envelope itself where it has none. */
  render(envelope: Envelope): DialectAnswer
  /** Hears what happens to its calls and to its sandboxes; the returned function stops that. */
  listen(listener: (event: SessionEvent) => void): () => void
  /**
   * Every entry of the session's record after a sequence number, then each new one as it comes. Fails in a session
   * that is not recorded.
   */
  events(query?: EventQuery): AsyncIterable<RecordEntry>
  /** What commands and files in its sandboxes are like, in sentences for a model. */
  readonly environment: string
  /** A session for a task of this one: with its tools and policy, and a record of its own that names this one. */
  child(options: ChildOptions): Session<Own>
  /** The record of this session, opened on first use; null where it has none. */
  readonly record: (() => Promise<SessionRecord>) | null
  /** What a person has answered with "always": listed and withdrawn, also for `policy.explain({ grants })`. */
  readonly grants: Grants
  /** What repair, check and policy would do to a call. Nothing is run, asked or recorded. */
  explain(call: ImaginedCall): Promise<CallExplanation>
  /** A sandbox of this session for a program of your own, made on first use. */
  workspace(sandbox?: string): Promise<Workspace>
  /** One of its sandboxes as a few tools, for a model that should see no other. */
  sandbox(name: string): SandboxView
  /**
   * Hands its sandboxes to another session of the same Toolkeep, as they are, while processes go on; returns their
   * names. Both records say so. Repeated after a crash, it completes what was begun.
   */
  moveSandboxes(to: Session): Promise<readonly string[]>
  /** Its named sandboxes. */
  readonly sandboxes: SessionSandboxes
  /** The files that its tools made for a person. */
  readonly artifacts: Artifacts
  /** A new turn of an agent: from now on, so many calls that run commands are allowed until the next. */
  startTurn(): void
  /** Ends everything. The sandboxes of a durable session keep their files, others are destroyed. */
  close(): Promise<void>
  /** Ends everything and keeps nothing. */
  destroy(): Promise<void>
}

/** What happens in a session, to a call or to a sandbox. */
export type SessionEvent = CallEvent | PoolEvent

/** The pool without its end and its events, which are the session's. */
export type SessionSandboxes = Omit<
  Pool,
  "close" | "destroy" | "listen" | "moveTo" | typeof Symbol.asyncDispose
>

export interface ChildOptions {
  readonly name: string
  /** The call that the child works for. */
  readonly call: string
  /** Whether it works in the sandboxes of its parent, or in some of its own. */
  readonly sandboxes: "shared" | "own"
  /** The directory where its paths start; that of its parent when absent. */
  readonly cwd?: string | undefined
}

export interface CallOptions extends Caller {
  readonly id?: string | undefined
  /** The agents on whose behalf the calling one works: the call has to be allowed for each of them. */
  readonly ancestors?: readonly string[] | undefined
  /** Why the call is refused whatever it asks for: it is recorded and answered, and never run. */
  readonly refusal?: FailureDetails | undefined
  /** The sandbox to run in; "default" when absent. */
  readonly sandbox?: string | undefined
  /** The directory in the sandbox where paths start; its home when absent. */
  readonly cwd?: string | undefined
  readonly signal?: AbortSignal | undefined
  readonly timeoutMs?: number | undefined
  /** Why a person is asked first, also where the policy allows the call. */
  readonly ask?: string | undefined
  /** Asks a person about this call where the policy says so; the session's own when absent. */
  readonly approve?: Approver | undefined
  /** Works in the place of the tool: the call is checked, judged, asked about and recorded as one of the tool all the same. */
  readonly work?: CallWork | undefined
  /** What the caller finds this call by in the record, as JSON. Such a call is recorded before it starts. */
  readonly origin?: unknown
  /** How the caller gets the answer, where that is not the envelope; recorded with the call. */
  readonly answerForm?: AnswerForm | undefined
  /** The answer that the record has for it: nothing is run, and it is given in the session's words. */
  readonly known?: Envelope | undefined
}
