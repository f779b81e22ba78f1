import { chmod, mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import {
  type CallContext,
  type Envelope,
  failure,
  failureFrom,
  fitResult,
  type OutputChunk,
  success,
  type Tool,
  type Workspace,
} from "../contract/index.ts"
import {
  bubblewrapHost,
  createWorkspace,
  type Host,
  localHost,
  memoryHost,
} from "../sandbox/index.ts"
import { canonicalTools } from "./canonical-tools.ts"

export interface CallSetting {
  readonly signal?: AbortSignal
  readonly terminated?: AbortSignal
  readonly onOutput?: (chunk: OutputChunk) => void
}

/** For tests: the canonical tools over one real sandbox. */
export interface ToolBench extends AsyncDisposable {
  readonly workspace: Workspace
  readonly tools: readonly Tool[]
  call(tool: string, input: unknown, setting?: CallSetting): Promise<Envelope>
}

export interface BenchHost {
  readonly host: string
  open(): Promise<ToolBench>
}

const memoryBench: BenchHost = {
  host: "memory",
  open: () => openBench(memoryHost(), async () => {}),
}

export const localBench = {
  host: "local",
  /** In a new directory that goes with the bench, or in one that is there and stays. */
  async open(existing?: string) {
    const directory = existing ?? (await mkdtemp(join(tmpdir(), "toolkeep-tools-")))
    const host = localHost({ directoryFor: () => directory })
    return openBench(host, async () => {
      if (existing === undefined) await rm(directory, { recursive: true, force: true })
    })
  },
} satisfies BenchHost

const bubblewrapBench: BenchHost = {
  host: "bubblewrap",
  async open() {
    const directory = await mkdtemp(join(tmpdir(), "toolkeep-tools-"))
    // The sandbox's user walks through it.
    await chmod(directory, 0o755)
    const clean = () => rm(directory, { recursive: true, force: true })
    return openBench(bubblewrapHost({ directory }), clean)
  },
}

/** Every host that the tools are tested on. */
export const benches: readonly BenchHost[] = [memoryBench, localBench, bubblewrapBench]

async function openBench(host: Host, cleanUp: () => Promise<void>): Promise<ToolBench> {
  const sandbox = await host.create({ name: "default" })
  const workspace = createWorkspace(sandbox)
  const tools = canonicalTools({ can: host.can, version: "0.0.0" })
  return {
    workspace,
    tools,
    call: (name, input, setting = {}) => callTool({ tools, workspace, ...setting }, name, input),
    async [Symbol.asyncDispose]() {
      await sandbox.destroy()
      await cleanUp()
    },
  }
}

/** One call as the runtime makes it, without policy, deadline or record. */
export async function callTool(
  setting: CallSetting & { readonly tools: readonly Tool[]; readonly workspace: Workspace },
  name: string,
  input: unknown,
): Promise<Envelope> {
  const tool = setting.tools.find((one) => one.name === name)
  if (!tool) throw new Error(`no tool ${name}`)
  const checked = tool.check(input)
  if (!checked.ok) return failure(name, checked.failure)
  const warnings: string[] = [...checked.notes]
  const never = new AbortController().signal
  const context: CallContext = {
    callId: "call_test",
    tool: name,
    signal: setting.signal ?? never,
    terminated: setting.terminated ?? never,
    workspace: async () => setting.workspace,
    output: setting.onOutput ?? (() => {}),
    warn: (message) => warnings.push(message),
  }
  try {
    const fitted = fitResult(await tool.run(checked.value as never, context))
    if (!fitted.ok) return failure(name, { kind: "execution_error", message: fitted.reason })
    return success(name, fitted.value, [...warnings, ...fitted.notes])
  } catch (error) {
    if (setting.signal?.aborted) throw error
    return failure(name, failureFrom(error))
  }
}
