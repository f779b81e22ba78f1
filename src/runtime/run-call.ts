import {
  type CallContext,
  type CallLimits,
  type Checked,
  copyInput,
  createDispatch,
  cutText,
  type Envelope,
  type FailureDetails,
  failure,
  failureFrom,
  fitResult,
  limits,
  type Refined,
  readAnswer,
  refineInput,
  success,
  type Tool,
  ToolFailure,
  type Workspace,
} from "../contract/index.ts"
import { createRule, type Grant, grantKey, type PathStart, type Verdict } from "../policy/index.ts"
import { askApproval } from "./ask-approval.ts"
import { CallParked } from "./call-parked.ts"
import { type CallFacts, type CallRecorder, onlyReads, type RecordedCall } from "./call-recorder.ts"
import type { CallRequest, SandboxBinding, SandboxObservation } from "./call-request.ts"
import { type Deadline, failureOf, runTool, type ToolOutcome } from "./deadline.ts"
import type { CallStage } from "./events.ts"
import { holdPaths } from "./hold-paths.ts"
import type { ToolRegistry } from "./registry.ts"
import type { RuntimeDeps } from "./runtime-deps.ts"

/** A call under way. */
export interface Call {
  readonly id: string
  readonly request: CallRequest
  readonly deadline: Deadline
  readonly emit: (stage: CallStage) => void
  readonly facts: CallFacts
  readonly observing: CallObserving
}

/** What is looked at while a call runs. */
export interface CallObserving {
  observation: SandboxObservation | null
  /** Bytes that were cut from its answer; null where nobody counted them. */
  cutBytes: number | null
  isOver: boolean
}

/** The call as it is recorded. */
export function recordedCall({ id, request, facts }: Call): RecordedCall {
  const { tool, agent, provider, sandbox, origin, answerForm } = request
  const { name, cwd } = sandbox ?? {}
  return { ...facts, id, tool, agent, provider, sandbox: name, cwd, origin, answerForm }
}

/** Find the tool, repair and check the input, judge, ask, run, cut to size, wrap. */
export async function runCall(call: Call, parts: RuntimeDeps): Promise<Envelope> {
  const { request } = call
  const given = ownInput(request.input)
  if (given.ok) call.facts.sent = given.value
  const tool = await findTool(call, parts)
  const ended = call.deadline.ending
  if (ended && !tool) return failure(request.tool, failureOf(ended))
  if (!tool) return unknownTool(request.tool, parts.registry)
  const missing = tool.unavailableReason()
  if (missing !== null) return unavailable(tool, missing)

  if (!given.ok) return failure(tool.name, given.failure)
  return runInput(call, tool, { value: given.value, edit: null, parts })
}

/** What a person has written in the place of the arguments. */
interface Edit {
  readonly kind: "edited"
  readonly input: unknown
  /** What the person was asked, and for which sandbox: the same about these arguments is answered. */
  readonly grant: Grant
  readonly sandbox: SandboxBinding | undefined
}

interface Given {
  readonly value: unknown
  readonly edit: Edit | null
  readonly parts: RuntimeDeps
}

/** From the check on; again from there where a person has edited the arguments. */
async function runInput(call: Call, tool: Tool, { value, edit, parts }: Given): Promise<Envelope> {
  const fail = (details: FailureDetails) => failure(tool.name, withEdit(details, edit))
  const checked = tool.check(value)
  if (!checked.ok) return fail(checked.failure)
  const input = checked.value
  const refined: Refined = tool.standard
    ? await refineInput(tool, input)
    : { ok: true, value: input }
  if (!refined.ok) return fail(refined.failure)
  if (parts.recorder) call.facts.checked = changesOf(call.facts.sent, checked)
  if (parts.listeners.size > 0) {
    call.emit({ kind: "call-checked", input: copyInput(input), repairs: [...checked.notes] })
  }

  const judged = await judge(call, tool, { input, refined: refined.value, edit, parts })
  const ending = call.deadline.ending
  if (ending) return fail(failureOf(ending))
  if (judged.kind === "refused") return fail(judged.failure)
  if (judged.kind === "edited") {
    return runInput(call, tool, { value: judged.input, edit: judged, parts })
  }
  const refusal = parts.admit?.(tool) ?? null
  if (refusal) return fail(refusal)

  const warnings = [...(edit ? [editNotice(edit)] : []), ...checked.notes]
  const { sandbox } = judged
  const work = { input: refined.value, sandbox, parts, warnings }
  const { observing } = call
  const outcome = await perform(call, tool, work)
  const envelope = wrapAnswer(tool, outcome, { warnings, limits: parts.limits, observing })
  return envelope.ok ? envelope : fail(envelope)
}

/** The model is told what ran instead of what it sent. */
function editNotice({ input }: Edit): string {
  return `A person changed the arguments of this call to ${JSON.stringify(input)}`
}

/** A failure has no warnings; who was denied the call knows that nothing ran. */
function withEdit(details: FailureDetails, edit: Edit | null): FailureDetails {
  if (edit === null || details.kind === "user_denied") return details
  const notice = cutText(editNotice(edit), limits.warningBytes).text
  return { ...details, message: `${details.message} ${notice}` }
}

/** What is recorded of an input beside what was sent, as a copy: a tool may change its input while it runs. */
function changesOf(sent: unknown, checked: Extract<Checked, { ok: true }>): CallFacts["checked"] {
  const { value, notes: repairs } = checked
  if (repairs.length === 0 && typeof sent === "object") return null
  return { input: copyInput(value), repairs }
}

/**
 * What is checked, judged, shown to a person and run is one value that nobody else holds: the caller could change
 * its own object meanwhile, or answer each look at it differently. Text is parsed into a value of its own anyway.
 */
function ownInput(input: unknown): Refined {
  if (typeof input !== "object" || input === null) return { ok: true, value: input }
  try {
    return { ok: true, value: copyInput(input, limits.inputDepth) }
  } catch {
    return {
      ok: false,
      failure: {
        kind: "invalid_args",
        message: `The arguments are not plain data, or are nested too deeply: at most ${limits.inputDepth} levels.`,
        expected: 'a JSON object such as {"path": "notes.md"}',
      },
    }
  }
}

/** Only a name without a tool that can run has to wait for tools that come later. */
async function findTool(
  { request, deadline }: Call,
  parts: RuntimeDeps,
): Promise<Tool | undefined> {
  const { registry, prepare } = parts
  const find = () => registry.get(request.tool) ?? registry.getByApiName(request.tool)
  const known = find()
  if (!prepare || known?.unavailableReason() === null) return known
  await prepare(request.tool, deadline.signal)
  return find()
}

function unknownTool(name: string, registry: ToolRegistry): Envelope {
  const shown = name.slice(0, limits.quotedCharacters * 2)
  const close = registry.nearest(name)
  const hint = close ? `did you mean ${JSON.stringify(close)}?` : "list the tools there are."
  return failure(shown, {
    kind: "tool_not_found",
    message: `There is no tool ${JSON.stringify(shown)}; ${hint}`,
  })
}

function unavailable(tool: Tool, message: string): Envelope {
  return failure(tool.name, { kind: "unavailable", message, retryable: false })
}

/** The one that the input asks for, or else the call's own. */
function sandboxOf(call: Call, tool: Tool, input: unknown): SandboxBinding | undefined {
  const { sandbox } = call.request
  const name = tool.sandbox(input as never)
  return sandbox && name !== undefined ? { ...sandbox, name } : sandbox
}

interface Judging {
  readonly input: unknown
  /** The input as the author's own schema transformed it. */
  readonly refined: unknown
  readonly edit: Edit | null
  readonly parts: RuntimeDeps
}

type Judged =
  | { readonly kind: "granted"; readonly sandbox: SandboxBinding | undefined }
  | { readonly kind: "refused"; readonly failure: FailureDetails }
  | Edit

/** Whether the call may run, and in which sandbox. */
async function judge(call: Call, tool: Tool, judging: Judging): Promise<Judged> {
  const { input, refined, edit, parts } = judging
  const sandbox = sandboxOf(call, tool, input)
  const policy = parts.registry.getPolicy()
  if (!policy) return { kind: "granted", sandbox }
  const { agent, provider, ancestors = [] } = call.request
  // What an agent may not do, none that works for it may.
  const callers = [agent, ...ancestors].map((one) => ({
    ...(one && { agent: one }),
    ...(provider && { provider }),
  }))
  const starts = policy.judgesPaths?.(tool) ? await pathStarts(tool, input, sandbox) : [undefined]
  // The author's schema may have changed what a rule looks at: both forms have to pass.
  const forms = refined === input ? [input] : [input, refined]
  const judged = forms
    .flatMap((form) => starts.map((start) => ({ input: form, start })))
    .flatMap((asked) => callers.map((caller) => ({ ...asked, ...caller })))
    .map((asked) => policy.judge({ tool, ...asked, sandbox: sandbox?.name }))
    .reduce(stricter)
  const verdict = judged.kind === "allow" ? askedFor(judged, call.request.ask) : judged
  call.facts.verdict = verdict
  call.emit({ kind: "call-judged", verdict })
  switch (verdict.kind) {
    case "allow":
      return { kind: "granted", sandbox }
    case "deny":
      return { kind: "refused", failure: { kind: "rejected", message: verdict.message } }
    case "ask": {
      const { prompt, rule } = verdict
      const grant = { tool: tool.name, rule: rule.text, sandbox: sandbox?.name ?? null }
      if (await isGranted(grant, parts)) return { kind: "granted", sandbox }
      // Who wrote the arguments is not asked again what was asked already; another rule asks.
      if (edit && grantKey(edit.grant) === grantKey(grant)) {
        return { kind: "granted", sandbox: edit.sandbox }
      }
      const { id: runtime, registry } = parts
      const question = { callId: call.id, runtime, tool, input, sandbox, prompt, rule }
      const { signal } = call.deadline
      const current = () => registry.get(tool.name)
      const asked = sandbox && onlyThis(sandbox)
      const { approve = parts.approve } = call.request
      const approval = await askApproval(question, {
        ...parts,
        approve,
        signal,
        emit: call.emit,
        current,
        recorded: () => recordedCall(call),
      })
      if (approval.kind === "edited") return { ...approval, grant, sandbox: asked }
      if (approval.kind === "refused") return approval
      if (approval.always) await parts.grants.add(grant)
      return { kind: "granted", sandbox: asked }
    }
    default:
      return verdict satisfies never
  }
}

async function isGranted(grant: Grant, { grants }: RuntimeDeps): Promise<boolean> {
  const key = grantKey(grant)
  return (await grants.list()).some((one) => grantKey(one) === key)
}

/** From where the paths of a call start: where they may be in several sandboxes, from each of those. */
async function pathStarts(
  tool: Tool,
  input: unknown,
  sandbox: SandboxBinding | undefined,
): Promise<readonly (PathStart | undefined)[]> {
  if (!sandbox?.start) return [undefined]
  const { start, name } = sandbox
  if (!tool.pathSandboxes) return [await start(name)]
  const names = tool.pathSandboxes(input as never)
  const starts = await Promise.all(names.map((one) => start(one)))
  return starts.map(({ home }) => ({ home }))
}

const strictness = { deny: 2, ask: 1, allow: 0 } as const

function stricter(one: Verdict, other: Verdict): Verdict {
  return strictness[other.kind] > strictness[one.kind] ? other : one
}

/** A caller can have a person asked where the policy would not, and never the other way round. */
function askedFor(verdict: Verdict, because: string | undefined): Verdict {
  if (because === undefined) return verdict
  const rule = createRule("caller", "the caller has a person asked first", { because })
  return { kind: "ask", rule, prompt: because }
}

/** Leads to the sandbox that has the name now, and to none that gets it later. */
function onlyThis(sandbox: SandboxBinding): SandboxBinding {
  const { revision, workspace } = sandbox
  if (!revision) return sandbox
  const asked = revision(sandbox.name)
  return {
    ...sandbox,
    async workspace(name) {
      if (revision(name) === asked) return workspace(name)
      throw new ToolFailure(sandboxChanged)
    },
  }
}

const sandboxChanged: FailureDetails = {
  kind: "rejected",
  message:
    "The sandbox has changed since a person approved the call, so nothing was done. Repeat the call to ask again.",
}

interface Work {
  readonly input: unknown
  readonly sandbox: SandboxBinding | undefined
  readonly parts: RuntimeDeps
  readonly warnings: string[]
}

async function perform(call: Call, tool: Tool, work: Work): Promise<ToolOutcome> {
  const { deadline, request } = call
  const context = createContext(call, tool, work)
  const { limits: held } = work.parts
  const capMs = request.work ? null : deadlineOf(tool, held)
  const timeoutMs = shortest(capMs, request.timeoutMs ?? null)
  deadline.start(timeoutMs)
  let release = () => {}
  try {
    const uses = tool.paths(work.input as never)
    if (uses.length > 0) {
      const { signal } = deadline
      release = await holdPaths(work.parts.locks, uses, {
        workspace: await context.workspace(),
        signal,
      })
    }
    if (work.parts.recorder) {
      call.facts.reads = onlyReads(tool)
      const isAwaited = !call.facts.reads || request.origin !== undefined
      if (isAwaited) await recordStart(work.parts.recorder, call)
    }
    call.emit({ kind: "call-started", timeoutMs })
    const run = (input: unknown, given: CallContext) => tool.run(input as never, given)
    const own = request.work
    const chosen: typeof run = own ? (...given) => own(...given, { run, limits: held }) : run
    return await runTool({ run: chosen, input: work.input, context }, deadline)
  } catch (error) {
    const ending = deadline.ending
    if (ending) return { kind: "failed", failure: failureOf(ending) }
    throw error
  } finally {
    release()
  }
}

/** A call that could not be answered for after a crash is not run. */
async function recordStart(recorder: CallRecorder, call: Call): Promise<void> {
  try {
    await recorder.started(recordedCall(call))
    call.facts.start = "recorded"
  } catch (error) {
    call.facts.start = "refused"
    throw new ToolFailure(notRecorded(failureFrom(error).message), { cause: error })
  }
}

export function notRecorded(reason: string): FailureDetails {
  const message = `Nothing was done, because the call could not be recorded: ${reason}`
  return { kind: "unavailable", message }
}

function createContext(call: Call, tool: Tool, { sandbox, warnings, parts }: Work): CallContext {
  const { agent, provider } = call.request
  const { signal, terminated } = call.deadline
  let printed = 0
  let opened: Promise<Workspace> | undefined
  const workspace = () => {
    const isWatched = sandbox?.observe !== undefined && !onlyReads(tool)
    opened ??= isWatched ? openObserved(call, tool, sandbox) : openWorkspace(tool, sandbox)
    return opened
  }
  return {
    callId: call.id,
    tool: tool.name,
    agent,
    provider,
    session: parts.session,
    signal,
    terminated,
    workspace,
    dispatch: async (payload, options) =>
      createDispatch(await workspace())(payload, { signal, ...options }),
    output(chunk) {
      printed += chunk.bytes.length
      call.emit({ kind: "call-output", chunk, printed })
    },
    warn: (message) => {
      warnings.push(message)
    },
  }
}

async function openWorkspace(tool: Tool, sandbox: SandboxBinding | undefined): Promise<Workspace> {
  if (sandbox) return sandbox.workspace(sandbox.name)
  throw new ToolFailure({
    kind: "unavailable",
    message: `${tool.name} needs a sandbox and this call has none: open the session with a host.`,
    retryable: false,
  })
}

/** The sandbox is looked at from before the tool can use it. */
async function openObserved(call: Call, tool: Tool, sandbox: SandboxBinding): Promise<Workspace> {
  const workspace = await openWorkspace(tool, sandbox)
  const { observing } = call
  const observation = (await sandbox.observe?.(sandbox.name, call.id)) ?? null
  if (observation === null) return workspace
  if (observing.isOver) await observation.end(null)
  else observing.observation = observation
  return observation.watched(workspace)
}

/** The one envelope of a call, cut to size, whatever its tool returned. */
function wrapAnswer(
  tool: Tool,
  outcome: ToolOutcome,
  held: {
    readonly warnings: readonly string[]
    readonly limits: CallLimits
    readonly observing: CallObserving
  },
): Envelope {
  if (outcome.kind === "parked") throw new CallParked()
  if (outcome.kind === "failed") return failure(tool.name, fitFailure(outcome.failure))
  const answer = mayBeAnswer(outcome.value)
    ? readAnswer(tool, outcome.value)
    : { ok: true as const, result: outcome.value, warnings: [] }
  if (!answer.ok) return failure(tool.name, fitFailure(answer.failure))
  const fitted = fitResult(answer.result, held.limits)
  if (!fitted.ok) {
    return failure(tool.name, {
      kind: "execution_error",
      message: `The tool ran, but its answer is not JSON: ${fitted.reason}.`,
      retryable: false,
    })
  }
  held.observing.cutBytes = fitted.cutBytes
  const all = [...held.warnings, ...answer.warnings, ...fitted.notes]
  return success(tool.name, fitted.value, fitWarnings(all))
}

/** A quick look: an envelope, a ToolResult and the older forms are text, errors, or have one of these keys. */
function mayBeAnswer(value: unknown): boolean {
  if (typeof value === "string" || value instanceof Error) return true
  if (typeof value !== "object" || value === null) return false
  return "ok" in value || "success" in value || "error" in value
}

function fitFailure(details: FailureDetails): FailureDetails {
  const { message, field, expected } = details
  return {
    ...details,
    message: cutText(message).text,
    field: field && cutText(field, limits.warningBytes).text,
    expected: expected && cutText(expected, limits.warningBytes).text,
  }
}

function fitWarnings(warnings: readonly string[]): readonly string[] {
  const shown = warnings.slice(0, limits.warnings)
  const left = warnings.length - shown.length
  return [
    ...shown.map((warning) => cutText(String(warning), limits.warningBytes).text),
    ...(left > 0 ? [`and ${left} more warnings`] : []),
  ]
}

/** A tool that says nothing about its time has the default one, which a session may change. */
function deadlineOf({ timeoutMs }: Tool, { timeoutMs: byDefault }: CallLimits): number | null {
  return timeoutMs === limits.toolTimeoutMs ? byDefault : timeoutMs
}

function shortest(a: number | null, b: number | null): number | null {
  if (a === null || b === null) return a ?? b
  return Math.min(a, b)
}
