import type { LanguageModelV4 } from "@ai-sdk/provider"
import { apiNameOf, defineTrusted, type JsonSchema } from "../contract/index.ts"
import { createDeadline, KeyedLock, systemClock } from "../kit/index.ts"
import type { Session } from "../session/index.ts"
import type { SessionRecord } from "../store/index.ts"
import { advance, type Deliver, type StepDeps } from "./advance.ts"
import { stricterLimits } from "./check-limits.ts"
import { branchSession, checkpointFiles } from "./checkpoint-files.ts"
import { buildMessages } from "./context/build-request.ts"
import { ConversationReader, type CurrentRun } from "./context/read-conversation.ts"
import {
  addSpent,
  messageEntry,
  newEntry,
  type RunLimits,
  type RunStart,
  type Spent,
} from "./entries.ts"
import { agentLimits } from "./limits.ts"
import type { Message, UserMessage } from "./messages.ts"
import { type ModelTool, modelName, openModel, policyProvider } from "./model/index.ts"
import { createPerson, type Person } from "./person.ts"
import type {
  Agent,
  AgentOptions,
  Lineage,
  Run,
  RunOptions,
  RunResult,
  Said,
  Step,
} from "./run-options.ts"
import { systemPrompt } from "./system-prompt.ts"
import { clarifyTool, completeTool, resultTool, todoTool } from "./tools/agent-tools.ts"
import { checkValue } from "./tools/check-value.ts"
import { type TaskDeps, taskTool } from "./tools/task-tool.ts"
import { openTrace, type Trace } from "./trace-run.ts"

const noLineage: Lineage = { depth: 0, ancestors: [] }

export function createAgent(options: AgentOptions): Agent {
  return createLinkedAgent(options, noLineage)
}

/** What this agent holds of a session while it works in it. */
interface Held {
  readonly record: SessionRecord
  readonly reader: ConversationReader
  readonly person: Person
  /** What the tasks that run now have used so far, by the calls that they belong to. */
  readonly children: Map<string, Spent>
  /** The run whose tools are registered, by its sequence number. */
  run: number
  /** What the model is shown, until that changes. */
  tools: readonly ModelTool[] | null
  /** The names of those that run commands, until that changes. */
  commands: ReadonlySet<string> | null
  removeTools: () => void
}

function createLinkedAgent(options: AgentOptions, lineage: Lineage): Agent {
  const { clock = systemClock, name } = options
  const held = new WeakMap<Session, Promise<Held>>()
  const steps = new KeyedLock()
  let opened: Promise<LanguageModelV4> | null = null

  const model = () => {
    opened ??=
      typeof options.model === "string"
        ? openModel(options.model)
        : Promise.resolve(options.model as LanguageModelV4)
    return opened
  }
  let tracing: Promise<Trace> | null = null
  const openedTrace = () => {
    if (options.tracer) tracing ??= openTrace(options.tracer, options)
    return tracing
  }
  const hold = (session: Session): Promise<Held> => {
    const known = held.get(session)
    if (known) return known
    const made = open(session)
    held.set(session, made)
    made.catch(() => held.delete(session))
    return made
  }
  async function open(session: Session): Promise<Held> {
    if (!session.record) {
      throw new Error("An agent works in recorded sessions: open Toolkeep with `record: true`.")
    }
    const record = await session.record()
    const person = createPerson(record, options, () => clock.now())
    const reader = new ConversationReader(record)
    const children = new Map<string, Spent>()
    const nothing = { run: 0, tools: null, commands: null, removeTools: () => {} }
    return { record, reader, person, children, ...nothing }
  }

  /** The tools of the agent itself, which depend on the run. */
  function registerTools(session: Session, one: Held, run: CurrentRun): void {
    if (one.run === run.sequence) return
    one.removeTools()
    const { record, reader, person, children } = one
    const shared = { session, record, reader, person, children, options, lineage, run }
    const limits = () => limitsOf(run)
    const task: TaskDeps = { ...shared, limits, createAgent: createLinkedAgent }
    const { schema } = run.start
    // Only a schema is somebody else's; the tests check the rest (bench: session-loop).
    const tools = [
      todoTool,
      schema ? completeTool(schema) : defineTrusted(() => completeTool()),
      ...defineTrusted(() => [
        clarifyTool(() => one.person),
        resultTool(() => session),
        ...(lineage.depth < agentLimits.taskDepth ? [taskTool(task)] : []),
      ]),
    ]
    const remove = session.addTools(tools, { reservedNames: true })
    const forget = () => {
      one.tools = null
      one.commands = null
    }
    const stopWatching = session.watchTools(forget)
    one.run = run.sequence
    forget()
    one.removeTools = () => {
      one.run = 0
      one.removeTools = () => {}
      stopWatching()
      remove()
    }
  }
  /** What a run may use now: its own limits, and what the run that it is a task of has left. */
  const limitsOf = async ({ start: { limits } }: CurrentRun) => {
    const left = await lineage.limits?.()
    // Its own limit of time has begun with it.
    return left ? stricterLimits({ ...left, milliseconds: undefined }, limits) : limits
  }
  /** Another agent may work in the session next. */
  const leave = async (session: Session) => {
    const one = await held.get(session)?.catch(() => null)
    one?.removeTools()
    return one
  }

  async function step(
    session: Session,
    { signal = new AbortController().signal, onDelta }: RunOptions,
    deliver: Deliver,
  ): Promise<Step> {
    const one = await hold(session)
    const { run, spent } = await one.reader.read()
    if (run) registerTools(session, one, run)
    lineage.report?.([...one.children.values()].reduce(addSpent, spent))
    const limits = run ? await limitsOf(run) : {}
    const chosen = await model()
    const caller = { ...(name !== undefined && { agent: name }), ancestors: lineage.ancestors }
    const provider = policyProvider(chosen)
    const { milliseconds } = limits
    const left =
      run && milliseconds !== undefined
        ? Math.max(0, milliseconds - (clock.now() - run.startedAt))
        : null
    using deadline = createDeadline(left, { signal, clock })
    const deps: StepDeps = {
      ...{
        session,
        record: one.record,
        reader: one.reader,
        model: chosen,
        provider,
        clock,
        caller,
      },
      ...{ signal: deadline.signal, limits, onDelta, deliver },
      tools() {
        one.tools ??= modelTools(session, { ...caller, provider })
        return one.tools
      },
      runsCommand(tool) {
        one.commands ??= commandNames(session)
        return one.commands.has(tool)
      },
      contextTokens: options.contextTokens ?? agentLimits.contextTokens,
      maxOutputTokens: options.maxOutputTokens ?? agentLimits.outputTokens,
      prices: options.prices,
      approve: one.person.approve,
      isParked: one.person.isParked,
      questions: one.person.questions,
      readValue: (current, text) => checkValue(current.start.schema, text),
      timeIsOver: () => deadline.isOver(),
      trace: await openedTrace(),
    }
    // Awaited here: the deadline is disposed of when this returns.
    return await advance(deps)
  }
  /** One at a time in each session. */
  const lockedStep = async (session: Session, stepOptions: RunOptions, deliver: Deliver) => {
    const release = await steps.acquire(session.name, "exclusive")
    try {
      return await step(session, stepOptions, deliver)
    } finally {
      release()
    }
  }

  /** `carried`: what was said before in another session, where the run begins in a new one. */
  async function begin(
    session: Session,
    said: Said | null,
    { carried = [], ...runOptions }: RunOptions & { readonly carried?: readonly Message[] },
  ): Promise<void> {
    const { record, reader } = await hold(session)
    const chosen = await model()
    const { files } = await reader.read()
    const before = await checkpointFiles(session, files, clock.now())
    const start: RunStart = {
      model: modelName(chosen),
      ...(name !== undefined && { agent: name }),
      ...(runOptions.by !== undefined && { by: runOptions.by }),
      limits: mergeLimits(options.limits, runOptions.limits),
      system: systemPrompt(session, options.instructions, runOptions.schema !== undefined),
      ...(runOptions.schema && { schema: runOptions.schema }),
    }
    const at = clock.now()
    await record.append(
      [
        ...(before ? [before] : []),
        ...carried.map((message) => messageEntry(message, at)),
        newEntry({ kind: "run", body: start }, at),
        ...(said === null ? [] : [messageEntry(userMessage(said), at)]),
      ],
      "running",
    )
  }

  /** The input session's sandboxes and its conversation go to the output session, in which the run begins. */
  async function beginIn(output: Session, input: Session, said: Said, runOptions: RunOptions) {
    const release = await steps.acquire(input.name, "exclusive")
    try {
      const { turns: known } = await (await hold(output)).reader.read()
      const conversation = await (await hold(input)).reader.read()
      await input.moveSandboxes(output)
      // What a model was shown shortened, it can't look up there: it gets the whole.
      const whole = buildMessages({ ...conversation, edited: new Map() })
      await begin(output, said, { ...runOptions, carried: known.length === 0 ? whole : [] })
    } finally {
      release()
    }
  }

  async function isOver(session: Session): Promise<boolean> {
    const { reader } = await hold(session)
    const { run } = await reader.read()
    return run !== null && run.end !== null
  }

  function start(
    session: Session,
    beginRun: (() => Promise<void>) | null,
    runOptions: RunOptions,
  ): Run {
    const ending = new AbortController()
    const { signal } = runOptions
    const joined = signal ? AbortSignal.any([signal, ending.signal]) : ending.signal
    const queue: { readonly message: UserMessage; readonly told: (how: Delivery) => void }[] = []
    let hasEnded = false
    const deliver: Deliver = async (record) => {
      const taken = queue.splice(0)
      if (taken.length === 0) return false
      try {
        await record(taken.map(({ message }) => message))
      } catch (error) {
        queue.unshift(...taken)
        throw error
      }
      for (const { told } of taken) told("delivered")
      return true
    }

    async function work(): Promise<RunResult> {
      if (beginRun) await beginRun()
      else if (await isOver(session)) await begin(session, null, runOptions)
      for (;;) {
        const done = await lockedStep(session, { ...runOptions, signal: joined }, deliver)
        if (done.kind === "advanced") continue
        const { spent } = await (await hold(session)).reader.read()
        if (done.kind === "ended") return { ...done.end, spent }
        const questions = done.kind === "waiting" ? done.questions : []
        return { why: "waiting", questions, spent }
      }
    }
    async function tracedWork(): Promise<RunResult> {
      const trace = await openedTrace()
      return trace ? trace.run({ session, agent: name, model: await model() }, work) : work()
    }
    const result = tracedWork().finally(async () => {
      const one = await leave(session)
      one?.reader.forget()
      hasEnded = true
      for (const { told } of queue.splice(0)) told("not-delivered")
    })
    return {
      result,
      send(message) {
        if (hasEnded) return Promise.resolve("not-delivered")
        return new Promise((told) => queue.push({ message: userMessage(message), told }))
      },
      abort: (reason) => ending.abort(reason),
    }
  }

  return {
    run: (session, task, { output = session, ...runOptions } = {}) =>
      output === session
        ? start(session, () => begin(session, task, runOptions), runOptions)
        : start(output, () => beginIn(output, session, task, runOptions), runOptions),
    resume: (session, runOptions = {}) => start(session, null, runOptions),
    async branch(session, entry) {
      const release = await steps.acquire(session.name, "exclusive")
      try {
        return await branchSession(session, entry, clock)
      } finally {
        release()
      }
    },
    advance: (session, runOptions = {}) =>
      lockedStep(session, runOptions, async () => false).finally(() => leave(session)),
  }
}

type Delivery = "delivered" | "not-delivered"

function userMessage(said: Said): UserMessage {
  return { role: "user", content: typeof said === "string" ? [{ type: "text", text: said }] : said }
}

/** Those of one run take the place of the agent's own. */
function mergeLimits(own: RunLimits = {}, more: RunLimits = {}): RunLimits {
  return { ...own, ...more, callsOf: { ...own.callsOf, ...more.callsOf } }
}

function commandNames(session: Session): ReadonlySet<string> {
  const tools = session.allTools().filter(({ effects }) => effects.includes("execute"))
  return new Set(tools.flatMap(({ name }) => [name, apiNameOf(name)]))
}

interface ToolCaller {
  readonly agent?: string
  readonly ancestors: readonly string[]
  readonly provider: string
}

/** What the model is shown: only what each agent on whose behalf it works may use too. */
function modelTools(session: Session, { ancestors, ...caller }: ToolCaller) {
  const { provider } = caller
  const format = caller.provider === "anthropic" ? ("anthropic" as const) : ("openai" as const)
  const hidden = (tool: string) =>
    ancestors.some((agent) => {
      const shown = session.tools({ agent, provider })
      return !shown.some(({ name }) => apiNameOf(name) === tool)
    })
  const tools =
    format === "anthropic"
      ? session.tools({ ...caller, for: format }).map((tool) => ({
          name: tool.name,
          description: tool.description,
          inputSchema: tool.input_schema as JsonSchema,
        }))
      : session.tools({ ...caller, for: format }).map(({ function: tool }) => ({
          name: tool.name,
          description: tool.description,
          inputSchema: tool.parameters as JsonSchema,
        }))
  return ancestors.length === 0 ? tools : tools.filter(({ name }) => !hidden(name))
}
