import { join } from "node:path"
import { configLimits, type DiskSettings, type Settings } from "../config/index.ts"
import {
  apiNameOf,
  asTool,
  type CallLimits,
  createForModel,
  DefinitionError,
  defaultCallLimits,
  type Envelope,
  type FailureDetails,
  limits,
  type Network,
  type ResultView,
  requirePath,
  type Success,
  showResult,
  type Tool,
  ToolFailure,
  type ToolObject,
  type Workspace,
} from "../contract/index.ts"
import type { DialectAnswer, Vocabulary } from "../dialects/index.ts"
import { type Clock, systemClock } from "../kit/index.ts"
import { makeDirectories, runOwned } from "../node/index.ts"
import type { Caller, Policy } from "../policy/index.ts"
import {
  type AdmitCall,
  type Approver,
  type CallEvent,
  createRuntime,
  type RunningCall,
  type ToolRegistry,
} from "../runtime/index.ts"
import {
  claimDirectory,
  createPool,
  type HomeTotal,
  type Host,
  type Pool,
  type PoolEvent,
  workspaceAt,
} from "../sandbox/index.ts"
import {
  type Artifacts,
  artifactDirectory,
  type EntryQuery,
  type RecordEntry,
  type SessionRecord,
} from "../store/index.ts"
import {
  describeEnvironment,
  isReservedName,
  networkBounds,
  toolFamilies,
  type VisibleSessions,
  type WorkPool,
} from "../tools/index.ts"
import { type AnswerCalls, createAnswers } from "./answers/answer-calls.ts"
import { answerImages } from "./answers/answer-media.ts"
import { countCommands } from "./count-commands.ts"
import { directoryName } from "./directory-name.ts"
import { toolkeepHome } from "./open-host.ts"
import { recordCalls } from "./record/record-calls.ts"
import { createSandboxView, type SandboxView } from "./sandbox-tools.ts"
import { createShownTools, type Defer, type ShownTools } from "./shown-tools.ts"
import type { OpenToolSource, ToolSource } from "./tool-source.ts"
import type { CallArguments, ResultOf, ToolName } from "./tool-types.ts"
import { version } from "./version.ts"

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
  /** A sandbox of this session for a program of your own, made on first use. */
  workspace(sandbox?: string): Promise<Workspace>
  /** One of its sandboxes as a few tools, for a model that should see no other. */
  sandbox(name: string): SandboxView
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
  "close" | "destroy" | "listen" | typeof Symbol.asyncDispose
>

export interface AddOptions {
  /** Whether they may have the names that are kept for the tools of an agent's session. */
  readonly reservedNames?: boolean | undefined
}

export interface ChildOptions {
  readonly name: string
  /** The call that the child works for. */
  readonly call: string
  /** Whether it works in the sandboxes of its parent, or in some of its own. */
  readonly sandboxes: "shared" | "own"
  /** The directory where its paths start; that of its parent when absent. */
  readonly cwd?: string | undefined
}

export interface EventQuery {
  /** Only those after this sequence number; 0, and so all of them, when absent. */
  readonly after?: number | undefined
  readonly signal?: AbortSignal | undefined
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
  /** Asks a person about this call where the policy says so; the session's own when absent. */
  readonly approve?: Approver | undefined
}

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
  /** What sessions share that take turns; its own when absent. */
  readonly work?: WorkPool | undefined
}

/** What a child gets of its parent. */
export interface ParentSession {
  readonly pool: Pool
  readonly cwd: string | undefined
  readonly record: (() => Promise<SessionRecord>) | null
}

/** While this process lives, what it has made for a person stays for the default time. */
function claimArtifacts(directory: string): void {
  makeDirectories(directory, 0o700)
  claimDirectory(directory)
}

function requireFreeName(tool: Tool, vocabulary: Vocabulary | undefined): Tool {
  vocabulary?.requireFree(tool)
  if (!isReservedName(tool.name)) return tool
  throw new DefinitionError(
    `Tool ${JSON.stringify(tool.name)}: the name is kept for a tool of sessions; choose another.`,
  )
}

/** The same sandbox with paths starting elsewhere; fails for a path that is not a directory inside it. */
async function enterDirectory(workspace: Workspace, cwd: string): Promise<Workspace> {
  const path = requirePath(cwd, workspace, "cwd")
  const { type } = await workspace.stat(path)
  if (type === "directory") return workspaceAt(workspace, path)
  throw new ToolFailure({
    kind: "invalid_args",
    message: `${JSON.stringify(cwd)} is not a directory.`,
    field: "cwd",
  })
}

/** What a call answers when an error of its tool reached nobody who waits for it. */
function escaped(error: unknown): ToolFailure {
  const reason = error instanceof Error ? error.message : String(error)
  return new ToolFailure(
    {
      kind: "execution_error",
      message: `The tool failed where nothing could catch it: ${reason.slice(0, limits.quotedCharacters * 4)}`,
      retryable: false,
    },
    { cause: error },
  )
}

function isRejected(envelope: Envelope): boolean {
  return !envelope.ok && envelope.kind === "rejected"
}

export function createSession(parts: SessionDeps): Session {
  const { name, host, policy, approve, clock } = parts
  const { directory, network, settings = {} } = parts
  const ownPool = parts.sharedPool
    ? null
    : createPool(host, {
        ...{ clock, directory, network, bounds: networkBounds(settings) },
        disk: {
          sessionBytes: parts.disk?.sessionBytes ?? configLimits.sessionDiskBytes,
          beside: () => artifacts.bytes(),
          home: parts.homeTotal,
        },
      })
  const pool = parts.sharedPool ?? ownPool
  if (!pool) throw new Error("A session has sandboxes of its own or shared ones.")
  let admit: AdmitCall = () => null
  const { home = toolkeepHome() } = parts
  const artifacts = artifactDirectory(join(home, "artifacts", directoryName(name)), {
    ...pool.disk,
    async requireRoom() {
      claimArtifacts(join(home, "artifacts", directoryName(name)))
      await pool.disk.requireRoom()
    },
  })
  const closers: (() => Promise<void>)[] = []
  const environment = describeEnvironment({ can: host.can, network: pool.network })
  const vocabulary = parts.openVocabulary?.(environment)
  const own = (parts.tools ?? []).map((tool) => requireFreeName(tool, vocabulary))
  const { defer = "auto" } = parts
  const sources: ToolSource[] = []
  const prepare = async (tool?: string, signal?: AbortSignal) => {
    await Promise.all(sources.map((source) => source.prepare(tool, signal)))
  }
  const isName = (name: string) =>
    vocabulary?.names.includes(name) || runtime.registry.get(name) !== undefined
  const forModel = createForModel(isName)
  const shown = createShownTools({
    policy,
    defer,
    vocabulary,
    forModel: forModel.tool,
    own: own.map((tool) => tool.name),
    list: () => runtime.registry.list(),
    prepare: (signal) => prepare(undefined, signal),
    start: (tool, input, options) => {
      const { envelope } = start(tool, input, options)
      return { envelope: envelope.then(forModel.envelope) }
    },
    images: (envelope) => images(envelope),
  })
  const held = parts.callLimits ?? defaultCallLimits
  const families = toolFamilies({
    can: host.can,
    version,
    session: name,
    home,
    memory: parts.memory,
    settings,
    limits: held,
    sandboxes: pool,
    artifacts,
    work: parts.work,
    loading: defer === "off" ? undefined : shown.loading,
    sessions: parts.sessions,
    onClose: (close) => closers.push(close),
  })
  /** What a model has called, also in vain, it needs the schema of. */
  const onAnswer = (called: string, envelope: Envelope) => {
    const tool = isRejected(envelope) ? undefined : registered(called)
    if (tool && !answered.has(tool)) shown.loading.load([tool])
    if (tool) answered.add(tool)
  }
  const answered = new WeakSet<Tool>()
  const record = parts.openRecord ? openOnce(parts.openRecord) : null
  const runtime = createRuntime({
    ...{ families, tools: own, policy, approve, prepare, admit: (tool) => admit(tool), onAnswer },
    limits: held,
    session: { name, entries: (query) => readEntries(record, query) },
    recorder: record ? recordCalls(record.open, clock ?? systemClock) : undefined,
    ...(clock && { clock }),
  })

  const { registry } = runtime
  const registered = (called: string) => registry.get(called) ?? registry.getByApiName(called)
  registry.onChange(shown.changed)

  const startCanonical = (
    tool: string,
    input: unknown,
    { sandbox = "default", cwd = parts.cwd, ...rest }: CallOptions = {},
  ): RunningCall => {
    const workspace = async (chosen: string) => {
      const workspaceHome = await pool.workspace(chosen)
      return cwd === undefined ? workspaceHome : enterDirectory(workspaceHome, cwd)
    }
    const startOf = async (chosen: string) => {
      const root = host.can.home ?? (await pool.workspace(chosen)).cwd
      return { home: root, cwd }
    }
    const binding = { name: sandbox, workspace, start: startOf, cwd, revision: pool.revision }
    const request = { ...rest, tool, input, sandbox: binding }
    const end = (error: unknown) => running.cancel(escaped(error))
    const owner = { name: `the call of ${tool}`, end }
    const running: RunningCall = runOwned(owner, () => runtime.start(request))
    return running
  }
  const start: Session["start"] = (tool, input, options) => {
    if (!vocabulary) return startCanonical(tool, input, options)
    const said = vocabulary.translate(tool, input, {
      tools: () => registry.list(),
      isAllowed: (one) => policy.shows(one, options),
      timeoutMs: options?.timeoutMs,
    })
    const running = startCanonical(said.tool, said.input, {
      ...options,
      refusal: options?.refusal ?? said.refusal,
    })
    return { ...running, envelope: running.envelope.then(said.answer) }
  }
  const show: Session["show"] = ({ tool, result }, view) => {
    const isCalled = ({ name }: Tool) => name === tool || apiNameOf(name) === tool
    const said = vocabulary?.tools(registry.list()).find(isCalled)
    return showResult(said ?? registered(tool), result, view)
  }

  const images = (envelope: Envelope) => answerImages(envelope, artifacts)

  const closeTools = async () => {
    await Promise.all(closers.splice(0).map((closeOne) => closeOne()))
  }
  const close = async () => {
    await closeTools()
    await ownPool?.close()
    await record?.close()
  }
  const session: Session = {
    name,
    dialect: vocabulary?.dialect ?? null,
    tools: shown.tools,
    watchTools: shown.watch,
    prepare: (tool) => prepare(tool),
    addTools(added, options) {
      const remove = addTools(registry, added, { vocabulary, ...options })
      // The tools of an agent's session are shown from the start, however many others there are.
      if (options?.reservedNames) shown.loading.load(added.map(asTool))
      return remove
    },
    allTools: () => registry.list(),
    start,
    // The tests hold every built-in tool's results against its output schema.
    call: (tool, ...[input, options]) =>
      startCanonical(tool, input, options).envelope as Promise<never>,
    answer: createAnswers({ start, show, images, forModel: forModel.envelope }),
    show,
    forModel: forModel.envelope,
    render: (envelope) => vocabulary?.render(envelope, show) ?? envelope,
    listen(listener) {
      const stops = [runtime.listen(listener), pool.listen(listener)]
      return () => {
        for (const stop of stops) stop()
      }
    },
    events: (query = {}) => followRecord(record, query),
    environment,
    child(options) {
      if (!parts.openChild) throw new Error("This session was not opened by openToolkeep.")
      return parts.openChild({ pool, cwd: parts.cwd, record: record?.open ?? null }, options)
    },
    record: record?.open ?? null,
    workspace: (sandbox) => pool.workspace(sandbox),
    sandbox: (chosen) =>
      createSandboxView({
        ...{ name: chosen, home: host.can.home, environment, images },
        start: startCanonical,
        registered: () => registry.list(),
        isAllowed: (tool) => tool.unavailableReason() === null && policy.shows(tool, {}),
      }),
    sandboxes: pool,
    artifacts,
    startTurn: () => {
      admit = countCommands(parts.commandsPerTurn)
    },
    close,
    destroy: async () => {
      await closeTools()
      await ownPool?.destroy()
      await record?.remove()
    },
    [Symbol.asyncDispose]: close,
  }
  for (const open of parts.sources ?? []) {
    const source = open({ session, home, clock: clock ?? systemClock })
    sources.push(source)
    closers.push(() => source.close())
  }
  return session
}

interface OpenedOnce {
  readonly open: () => Promise<SessionRecord>
  readonly close: () => Promise<void>
  readonly remove: () => Promise<void>
}

/** One that could not be opened is tried again by the next who asks. */
function openOnce(openRecord: () => Promise<SessionRecord>): OpenedOnce {
  let opened: Promise<SessionRecord> | null = null
  const open = () => {
    opened ??= openRecord().catch((error: unknown) => {
      opened = null
      throw error
    })
    return opened
  }
  return {
    open,
    close: async () => (await opened?.catch(() => null))?.close(),
    remove: async () => (await open()).remove(),
  }
}

/** What a tool sees of its session's record. */
async function readEntries(
  record: OpenedOnce | null,
  query: EntryQuery = {},
): Promise<readonly RecordEntry[]> {
  return record ? (await record.open()).entries(query) : []
}

async function* followRecord(
  record: OpenedOnce | null,
  { after = 0, signal }: EventQuery,
): AsyncIterable<RecordEntry> {
  if (!record) {
    throw new Error("This session is not recorded: open Toolkeep with `durable: true` or `record`.")
  }
  yield* (await record.open()).follow({ after, ...(signal && { signal }) })
}

/** All of them or none. */
function addTools(
  registry: ToolRegistry,
  tools: readonly (Tool | ToolObject)[],
  { vocabulary, reservedNames }: AddOptions & { readonly vocabulary: Vocabulary | undefined },
): () => void {
  const added: Tool[] = []
  const remove = () => {
    for (const tool of added.splice(0)) {
      if (registry.get(tool.name) === tool) registry.unregister(tool.name)
    }
  }
  try {
    for (const tool of tools.map(asTool)) {
      vocabulary?.requireFree(tool)
      added.push(registry.register(reservedNames ? tool : requireFreeName(tool, vocabulary)))
    }
  } catch (error) {
    remove()
    throw error
  }
  return remove
}
