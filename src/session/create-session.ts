import {
  apiNameOf,
  asTool,
  createForModel,
  defaultCallLimits,
  type Envelope,
  limits,
  requirePath,
  showResult,
  type Tool,
  ToolFailure,
  type Workspace,
} from "../contract/index.ts"
import { createId, systemClock } from "../kit/index.ts"
import { runOwned } from "../node/index.ts"
import { createGrants } from "../policy/index.ts"
import { type AdmitCall, createRuntime, type RunningCall, type Runtime } from "../runtime/index.ts"
import { type Pool, workspaceAt } from "../sandbox/index.ts"
import { describeEnvironment, toolFamilies } from "../tools/index.ts"
import { createAnswers } from "./answers/answer-calls.ts"
import { answerImages } from "./answers/answer-media.ts"
import { countCommands } from "./count-commands.ts"
import { toolkeepHome } from "./open-host.ts"
import { openSandboxes } from "./open-sandboxes.ts"
import { moveSandboxes } from "./record/move-sandboxes.ts"
import { createRecordAccess } from "./record/record-access.ts"
import { recordCalls } from "./record/record-calls.ts"
import { recordGrants } from "./record/record-grants.ts"
import { recordSandboxes } from "./record/sandboxes/record-sandboxes.ts"
import type { Session } from "./session.ts"
import type { SessionDeps } from "./session-deps.ts"
import { addTools, requireFreeName } from "./tools/add-tools.ts"
import { createExplain } from "./tools/explain-call.ts"
import { createSandboxView } from "./tools/sandbox-tools.ts"
import { createShownTools } from "./tools/shown-tools.ts"
import type { ToolSource } from "./tools/tool-source.ts"
import { version } from "./version.ts"

export function createSession(parts: SessionDeps): Session {
  const { name, host, policy, approve, clock, settings = {}, home = toolkeepHome() } = parts
  const sandboxes = openSandboxes(parts)
  const { pool, artifacts } = sandboxes
  const record = createRecordAccess(parts.openRecord)
  let admit: AdmitCall = () => null
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
    previewHub: parts.previewHub,
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
  const grants = record.open ? recordGrants(record.open, clock ?? systemClock) : createGrants()
  const runtime = createRuntime({
    ...{ families, tools: own, policy, approve, prepare, admit: (tool) => admit(tool), onAnswer },
    limits: held,
    session: { name, entries: record.entries },
    grants,
    recorder: record.open ? recordCalls(record.open, clock ?? systemClock) : undefined,
    ...(clock && { clock }),
  })

  const { effects = false } = parts
  const ownsPool = parts.sharedPool === undefined
  const sandboxRecorder =
    effects && ownsPool && record.open
      ? recordSandboxes(pool, record.open, clock ?? systemClock)
      : null

  const { registry } = runtime
  const registered = (called: string) => registry.get(called) ?? registry.getByApiName(called)
  registry.onChange(shown.changed)

  const startCanonical = createStartCall({ runtime, pool, cwd: parts.cwd, effects })
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
    await sandboxes.close()
    await sandboxRecorder?.stop()
    await record.close()
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
    running: runtime.running,
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
    events: (query = {}) => record.follow(query),
    environment,
    child(options) {
      if (!parts.openChild) throw new Error("This session was not opened by openToolkeep.")
      return parts.openChild({ pool, cwd: parts.cwd, record: record.open }, options)
    },
    record: record.open,
    grants,
    explain: createExplain({
      ...{ policy, pool, grants },
      async find(called) {
        await prepare(called)
        return registered(called)
      },
    }),
    workspace: (sandbox) => pool.workspace(sandbox),
    sandbox: (chosen) =>
      createSandboxView({
        ...{ name: chosen, home: host.can.home, environment, images },
        start: startCanonical,
        registered: () => registry.list(),
        isAllowed: (tool) => tool.unavailableReason() === null && policy.shows(tool, {}),
      }),
    moveSandboxes: (to) =>
      moveSandboxes({ name, pool, openRecord: record.open, clock: clock ?? systemClock }, to),
    sandboxes: pool,
    artifacts,
    startTurn: () => {
      admit = countCommands(parts.commandsPerTurn)
    },
    close,
    destroy: async () => {
      await closeTools()
      await sandboxRecorder?.stop()
      await sandboxes.destroy()
      await record.remove()
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

function isRejected(envelope: Envelope): boolean {
  return !envelope.ok && envelope.kind === "rejected"
}

interface CallDeps {
  readonly runtime: Runtime
  readonly pool: Pool
  /** The directory where paths start, where a call does not say otherwise. */
  readonly cwd: string | undefined
  readonly effects: boolean
}

/** Starts calls in the canonical words, each in its sandbox and its directory. */
function createStartCall({ runtime, pool, cwd: defaultCwd, effects }: CallDeps): Session["start"] {
  /** Loaded on first use: few sessions are looked at. */
  const observe = async (sandbox: string, call: string) => {
    const { observeCall } = await import("./effects/observe-call.ts")
    return observeCall(pool, sandbox, call)
  }
  return (tool, input, { sandbox = "default", cwd = defaultCwd, known, ...rest } = {}) => {
    if (known) return answeredCall(known, rest.id)
    const workspace = async (chosen: string) => {
      const home = await pool.workspace(chosen)
      return cwd === undefined ? home : enterDirectory(home, cwd)
    }
    const start = async (chosen: string) => {
      const home = pool.host.can.home ?? (await pool.workspace(chosen)).cwd
      return { home, cwd }
    }
    const binding = {
      ...{ name: sandbox, workspace, start, cwd, revision: pool.revision },
      observe: effects ? observe : undefined,
    }
    const request = { ...rest, tool, input, sandbox: binding }
    const end = (error: unknown) => running.cancel(escaped(error))
    const owner = { name: `the call of ${tool}`, end }
    const running: RunningCall = runOwned(owner, () => runtime.start(request))
    return running
  }
}

/** A call that has ended before. */
function answeredCall(envelope: Envelope, id = createId("call")): RunningCall {
  const end = () => {}
  return {
    ...{ id, tool: envelope.tool, startedAt: Date.now(), envelope: Promise.resolve(envelope) },
    ...{ terminate: end, cancel: end, isParked: () => false },
  }
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
