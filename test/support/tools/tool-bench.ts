import { chmod, mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js"
import addFormats from "ajv-formats"
import { expect } from "vitest"
import type { Settings } from "../../../src/config/index.ts"
import {
  type CallContext,
  type CallLimits,
  createDispatch,
  defaultCallLimits,
  type Envelope,
  failure,
  failureFrom,
  fitResult,
  type JsonSchema,
  type OutputChunk,
  success,
  type Tool,
  type Workspace,
} from "../../../src/contract/index.ts"
import {
  bubblewrapHost,
  createPool,
  type Host,
  localHost,
  memoryHost,
  type Pool,
} from "../../../src/sandbox/index.ts"
import type { ResultOf } from "../../../src/session/tools/tool-types.ts"
import { type Artifacts, artifactDirectory } from "../../../src/store/index.ts"
import { canonicalTools } from "../../../src/tools/canonical-tools.ts"
import { networkBounds } from "../../../src/tools/sandbox/network-argument.ts"

export interface CallSetting {
  readonly signal?: AbortSignal
  readonly terminated?: AbortSignal
  readonly onOutput?: (chunk: OutputChunk) => void
}

/** For tests: the canonical tools over one real sandbox. */
export interface ToolBench extends AsyncDisposable {
  readonly workspace: Workspace
  readonly tools: readonly Tool[]
  readonly sandboxes: Pool
  readonly artifacts: Artifacts
  /** The result has the tool's type: what it answers is compared with its output schema. */
  call<Name extends string>(
    tool: Name,
    input: unknown,
    setting?: CallSetting,
  ): Promise<Envelope<ResultOf<Tool, Name>>>
}

export interface BenchHost {
  readonly host: string
  open(options?: BenchOptions): Promise<ToolBench>
}

export interface BenchOptions {
  /** For the local host: a directory that is there and stays. */
  readonly directory?: string
  readonly settings?: Settings
  readonly limits?: CallLimits
}

const memoryBench: BenchHost = {
  host: "memory",
  open: (options) => openBench(memoryHost(), async () => {}, options),
}

export const localBench: BenchHost = {
  host: "local",
  async open(options = {}) {
    const { directory: existing } = options
    const directory = existing ?? (await mkdtemp(join(tmpdir(), "toolkeep-tools-")))
    const host = localHost({ directoryFor: () => directory })
    const clean = async () => {
      if (existing === undefined) await rm(directory, { recursive: true, force: true })
    }
    return openBench(host, clean, options)
  },
}

const bubblewrapBench: BenchHost = {
  host: "bubblewrap",
  async open(options) {
    const directory = await mkdtemp(join(tmpdir(), "toolkeep-tools-"))
    // The sandbox's user walks through it.
    await chmod(directory, 0o755)
    const clean = () => rm(directory, { recursive: true, force: true })
    return openBench(bubblewrapHost({ directory }), clean, options)
  },
}

/** Every host that the tools are tested on. */
export const benches: readonly BenchHost[] = [memoryBench, localBench, bubblewrapBench]

/** The tools over a host of the test's own. */
export async function openBench(
  host: Host,
  cleanUp: () => Promise<void>,
  { settings = {}, limits = defaultCallLimits }: BenchOptions = {},
): Promise<ToolBench> {
  const home = await mkdtemp(join(tmpdir(), "toolkeep-home-"))
  const sandboxes = createPool(host, { bounds: networkBounds(settings) })
  const workspace = await sandboxes.workspace()
  const artifacts = artifactDirectory(join(home, "artifacts"))
  const closers: (() => Promise<void>)[] = []
  const tools = canonicalTools({
    can: host.can,
    version: "0.0.0",
    session: "bench",
    home,
    settings,
    limits,
    sandboxes,
    artifacts,
    onClose: (close) => closers.push(close),
  })
  return {
    workspace,
    tools,
    sandboxes,
    artifacts,
    call: (name, input, setting = {}) =>
      callTool(
        { tools, workspace: (chosen) => sandboxes.workspace(chosen), ...setting },
        name,
        input,
      ) as Promise<never>,
    async [Symbol.asyncDispose]() {
      await Promise.all(closers.map((close) => close()))
      await sandboxes.destroy()
      await rm(home, { recursive: true, force: true })
      await cleanUp()
    },
  }
}

/** The result of a call that has to succeed; of several kinds of results, the one that it has to be. */
export function resultOf<Result>(envelope: Envelope<Result>): Result
export function resultOf<Result extends { readonly kind: string }, Kind extends Result["kind"]>(
  envelope: Envelope<Result>,
  kind: Kind,
): Extract<Result, { readonly kind: Kind }>
export function resultOf(envelope: Envelope, kind?: string): unknown {
  if (!envelope.ok) throw new Error(`${envelope.kind}: ${envelope.message}`)
  if (kind !== undefined) expect(envelope.result).toHaveProperty("kind", kind)
  return envelope.result
}

/** One call as the runtime makes it, without policy, deadline or record. */
export async function callTool(
  setting: CallSetting & {
    readonly tools: readonly Tool[]
    readonly workspace: (sandbox?: string) => Promise<Workspace>
  },
  name: string,
  input: unknown,
): Promise<Envelope> {
  const tool = setting.tools.find((one) => one.name === name)
  if (!tool) throw new Error(`no tool ${name}`)
  const missing = tool.unavailableReason()
  if (missing !== null) return failure(name, { kind: "unavailable", message: missing })
  const checked = tool.check(input)
  if (!checked.ok) return failure(name, checked.failure)
  const warnings: string[] = [...checked.notes]
  const never = new AbortController().signal
  const context: CallContext = {
    callId: "call_test",
    tool: name,
    signal: AbortSignal.any([setting.signal ?? never, setting.terminated ?? never]),
    terminated: setting.terminated ?? never,
    session: { name: "test", entries: async () => [] },
    workspace: () => setting.workspace(tool.sandbox(checked.value as never)),
    dispatch: async (payload, options) =>
      createDispatch(await context.workspace())(payload, options),
    output: setting.onOutput ?? (() => {}),
    warn: (message) => warnings.push(message),
  }
  try {
    const fitted = fitResult(await tool.run(checked.value as never, context))
    if (!fitted.ok) return failure(name, { kind: "execution_error", message: fitted.reason })
    if (tool.outputSchema) requireKept(tool.outputSchema, fitted.value)
    return success(name, fitted.value, [...warnings, ...fitted.notes])
  } catch (error) {
    if (setting.signal?.aborted) throw error
    return failure(name, failureFrom(error))
  }
}

const ajv = new Ajv2020({ strict: false, allErrors: true })
addFormats.default(ajv)
const checks = new WeakMap<JsonSchema, ValidateFunction>()

/** What a tool answers with is a promise as well: an answer unlike its schema fails the test. */
function requireKept(schema: JsonSchema, result: unknown): void {
  const check = checks.get(schema) ?? ajv.compile(schema)
  checks.set(schema, check)
  if (check(result)) return
  throw new Error(
    `unlike its outputSchema: ${JSON.stringify(check.errors)} in ${JSON.stringify(result).slice(0, 500)}`,
  )
}
