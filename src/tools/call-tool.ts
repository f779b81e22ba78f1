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

export interface CallSetting {
  readonly workspace: Workspace | (() => Promise<Workspace>)
  readonly signal?: AbortSignal
  readonly terminated?: AbortSignal
  readonly onOutput?: (chunk: OutputChunk) => void
}

/** For tests: one call of a tool as the runtime makes it, without policy, deadline or record. */
export async function callTool(
  tools: readonly Tool[],
  name: string,
  input: unknown,
  setting: CallSetting,
): Promise<Envelope> {
  const tool = tools.find((one) => one.name === name)
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
    workspace: async () =>
      typeof setting.workspace === "function" ? setting.workspace() : setting.workspace,
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
