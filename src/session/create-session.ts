import { join } from "node:path"
import { configLimits, type DiskSettings, type Settings } from "../config/index.ts"
import {
  DefinitionError,
  type Envelope,
  limits,
  type Network,
  type ResultView,
  renderEnvelope,
  requirePath,
  type Success,
  showResult,
  type Tool,
  ToolFailure,
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
  type CallRequest,
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
import { type Artifacts, artifactDirectory } from "../store/index.ts"
import { isReservedName, networkBounds, toolFamilies, type WorkPool } from "../tools/index.ts"
import { countCommands } from "./count-commands.ts"
import { directoryName } from "./directory-name.ts"
import { toolkeepHome } from "./open-host.ts"
import { type ProviderCalls, type ProviderFormat, providers } from "./provider-answers.ts"
import { createShownTools, type Defer, type ShownTools } from "./shown-tools.ts"
import type { OpenToolSource, ToolSource } from "./tool-source.ts"
import type { CallArguments, ToolName, ToolResult } from "./tool-types.ts"
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
  addTools(tools: readonly Tool[]): () => void
  /** Every tool there is, also those that the policy hides or that lack a part. */
  allTools(): Tool[]
  /** Calls a tool whose name the program knows, in the canonical words: input and result have its types. */
  call<Name extends ToolName<Own>>(
    tool: Name,
    ...rest: CallArguments<Own, Name, CallOptions>
  ): Promise<Envelope<ToolResult<Own, Name>>>
  /**
   * Starts a call as a model or a client sent it, with a handle to watch it and to end it. In a session with a
   * dialect, call and answer are in its words; policy, approvals and events keep the canonical ones.
   */
  start(tool: string, input?: unknown, options?: CallOptions): RunningCall
  /** Answers a model's tool call: takes it as the provider's API gives it, answers as that API takes it back. */
  answer<Format extends ProviderFormat>(
    asked: { readonly for: Format; readonly call: ProviderCalls[Format]["call"] },
    options?: CallOptions,
  ): Promise<ProviderCalls[Format]["answer"]>
  /** A successful result as a text for people and models, as its tool shows it. */
  show(envelope: Success, view?: ResultView): string
  /** An answer in the form of the session's dialect; the envelope itself where it has none. */
  render(envelope: Envelope): DialectAnswer
  /** Hears what happens to its calls and to its sandboxes; the returned function stops that. */
  listen(listener: (event: SessionEvent) => void): () => void
  /** A sandbox of this session for a program of your own, made on first use. */
  workspace(sandbox?: string): Promise<Workspace>
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

export interface CallOptions extends Caller {
  readonly id?: string | undefined
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
  readonly openVocabulary?: (() => Vocabulary) | undefined
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
  /** What all sessions have together of the disk. */
  readonly homeTotal?: HomeTotal | undefined
  /** What sandboxes may reach when nothing is said for one, and the most that any of them may. */
  readonly network?: Network | undefined
  readonly defer?: Defer | undefined
  /** Tools that come later, such as those of bridged MCP servers. */
  readonly sources?: readonly OpenToolSource[] | undefined
  /** What sessions share that take turns; its own when absent. */
  readonly work?: WorkPool | undefined
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
  const pool = createPool(host, {
    ...{ clock, directory, network, bounds: networkBounds(settings) },
    disk: {
      sessionBytes: parts.disk?.sessionBytes ?? configLimits.sessionDiskBytes,
      beside: () => artifacts.bytes(),
      home: parts.homeTotal,
    },
  })
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
  const vocabulary = parts.openVocabulary?.()
  const own = (parts.tools ?? []).map((tool) => requireFreeName(tool, vocabulary))
  const { defer = "auto" } = parts
  const sources: ToolSource[] = []
  const prepare = async (tool?: string, signal?: AbortSignal) => {
    await Promise.all(sources.map((source) => source.prepare(tool, signal)))
  }
  const shown = createShownTools({
    policy,
    defer,
    vocabulary,
    own: own.map((tool) => tool.name),
    list: () => runtime.registry.list(),
    prepare: (signal) => prepare(undefined, signal),
    start: (tool, input, options) => start(tool, input, options),
  })
  const families = toolFamilies({
    can: host.can,
    version,
    session: name,
    home,
    memory: parts.memory,
    settings,
    sandboxes: pool,
    artifacts,
    work: parts.work,
    loading: defer === "off" ? undefined : shown.loading,
    onClose: (close) => closers.push(close),
  })
  /** What a model has called, also in vain, it needs the schema of. */
  const onAnswer = (called: string, envelope: Envelope) => {
    const tool = isRejected(envelope) ? undefined : registered(called)
    if (tool && !answered.has(tool)) shown.loading.load([tool])
    if (tool) answered.add(tool)
  }
  const answered = new WeakSet<Tool>()
  const runtime = createRuntime({
    ...{ families, tools: own, policy, approve, prepare, admit: (tool) => admit(tool), onAnswer },
    ...(clock && { clock }),
  })

  const { registry } = runtime
  const registered = (called: string) => registry.get(called) ?? registry.getByApiName(called)
  registry.onChange(shown.changed)

  const startCanonical = (
    tool: string,
    input: unknown,
    { sandbox = "default", cwd, ...rest }: CallOptions & Pick<CallRequest, "refusal"> = {},
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
    const said = vocabulary.translate(tool, input, registry.list())
    const running = startCanonical(said.tool, said.input, { ...options, refusal: said.refusal })
    return { ...running, envelope: running.envelope.then(said.answer) }
  }
  const show: Session["show"] = ({ tool, result }, view) => {
    const [shown] = vocabulary?.tools(registry.list()).filter(({ name }) => name === tool) ?? []
    return showResult(shown ?? registry.get(tool), result, view)
  }

  const closeTools = async () => {
    await Promise.all(closers.splice(0).map((closeOne) => closeOne()))
  }
  const close = async () => {
    await closeTools()
    await pool.close()
  }
  const session: Session = {
    name,
    dialect: vocabulary?.dialect ?? null,
    tools: shown.tools,
    watchTools: shown.watch,
    prepare: (tool) => prepare(tool),
    addTools: (added) => addTools(registry, added, vocabulary),
    allTools: () => registry.list(),
    start,
    // The tests hold every built-in tool's results against its output schema.
    call: (tool, ...[input, options]) =>
      startCanonical(tool, input, options).envelope as Promise<never>,
    async answer({ for: format, call }, options) {
      const { name: called, input } = providers[format].read(call)
      const envelope = await start(called, input, options).envelope
      return providers[format].answer(call, envelope, (form, one) =>
        renderEnvelope(form, one, session.show),
      )
    },
    show,
    render: (envelope) => vocabulary?.render(envelope, show) ?? envelope,
    listen(listener) {
      const stops = [runtime.listen(listener), pool.listen(listener)]
      return () => {
        for (const stop of stops) stop()
      }
    },
    workspace: (sandbox) => pool.workspace(sandbox),
    sandboxes: pool,
    artifacts,
    startTurn: () => {
      admit = countCommands(parts.commandsPerTurn)
    },
    close,
    destroy: async () => {
      await closeTools()
      await pool.destroy()
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

/** All of them or none. */
function addTools(
  registry: ToolRegistry,
  tools: readonly Tool[],
  vocabulary: Vocabulary | undefined,
): () => void {
  const added: Tool[] = []
  const remove = () => {
    for (const tool of added.splice(0)) {
      if (registry.get(tool.name) === tool) registry.unregister(tool.name)
    }
  }
  try {
    for (const tool of tools) {
      registry.register(requireFreeName(tool, vocabulary))
      added.push(tool)
    }
  } catch (error) {
    remove()
    throw error
  }
  return remove
}
