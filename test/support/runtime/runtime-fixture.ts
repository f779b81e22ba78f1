import {
  defineTool,
  type Envelope,
  type Tool,
  type ToolDefinition,
} from "../../../src/contract/index.ts"
import type { Clock } from "../../../src/kit/index.ts"
import { type CallRequest, createRuntime, type RuntimeOptions } from "../../../src/runtime/index.ts"

const empty = { type: "object", properties: {}, additionalProperties: false } as const

type Definition = ToolDefinition<string, typeof empty, undefined>
export type Run = Definition["run"]

/** A tool without arguments that does this. */
export function toolThat(run: Run, rest: Partial<Definition> = {}): Tool {
  return defineTool({ name: "test.tool", description: "A tool.", input: empty, run, ...rest })
}

/** The answer to one call of such a tool. */
export function answer(
  run: Run,
  {
    tool,
    request,
    ...options
  }: Omit<RuntimeOptions, "tools"> & {
    tool?: Partial<Definition>
    request?: Partial<CallRequest>
  } = {},
): Promise<Envelope> {
  const runtime = createRuntime({ ...options, tools: [toolThat(run, tool)] })
  return runtime.call({ tool: "test.tool", input: {}, ...request })
}

export const hang = () => new Promise<never>(() => {})

/** A clock that jumps: every timer fires as soon as the code under test waits. */
export const impatient: Clock = {
  now: () => 0,
  after: (_milliseconds, callback) => {
    const timer = setTimeout(callback, 1)
    return () => clearTimeout(timer)
  },
}
