import { defineTool, type JsonSchema, type Tool } from "../../contract/index.ts"
import { handlerOf } from "../graph/handler.ts"
import { isRef } from "../graph/ref.ts"
import { resolve } from "../graph/resolve.ts"
import type { Pattern } from "../pattern/pattern.ts"
import { type RunOptions, run } from "../pattern/run.ts"
import { StepNode } from "../steps/step.ts"

export interface PatternToolOptions<In> {
  /** What it is for, for the model. */
  readonly description: string
  /** The schema of the inputs that the model gives. */
  readonly input: JsonSchema
  /** Inputs that the model does not give. */
  readonly given?: Partial<In>
}

/** A pattern as a tool for a model. A step's content has its description and its inputs. */
export class PatternTool {
  readonly description: string
  readonly #asTool: (name: string, options: RunOptions) => Tool
  readonly #content: unknown

  constructor(
    asTool: (name: string, options: RunOptions) => Tool,
    content: { readonly description: string },
  ) {
    this.description = content.description
    this.#asTool = asTool
    this.#content = content
  }

  asTool(name: string, options: RunOptions): Tool {
    return this.#asTool(name, options)
  }

  toJSON(): unknown {
    return this.#content
  }
}

/**
 * A pattern as a tool: a model calls it with its inputs, and gets what it returns once all its steps have ended.
 */
export function patternTool<In extends object, Out extends object>(
  pattern: Pattern<In, Out>,
  options: PatternToolOptions<In>,
): PatternTool {
  const { description, input: schema, given } = options
  const asTool = (name: string, runOptions: RunOptions): Tool =>
    defineTool({
      ...{ name, description, input: schema, timeoutMs: null },
      async run(input: unknown, { signal }) {
        // Whatever its schema lets a model name: what the program gives is not the model's to change.
        const inputs = { ...Object(input), ...given } as In
        await using running = run(pattern, inputs, runOptions)
        const aborted = Promise.withResolvers<never>()
        signal.addEventListener("abort", () => aborted.reject(signal.reason))
        await Promise.race([running.settled(), aborted.promise])
        return await outputsOf(running.out)
      },
    })
  return new PatternTool(asTool, { description, ...(given && { given }) })
}

/** What a pattern returned, as data: a step is its result. Throws where one has failed. */
async function outputsOf(out: object): Promise<Record<string, unknown>> {
  const entries = Object.entries(out).filter(([, value]) => handlerOf(value) === null)
  const values = entries.map(async ([name, value]) => {
    if (value instanceof StepNode) return [name, await value.settled()] as const
    return [name, isRef(value) ? value.get() : resolve(value)] as const
  })
  return Object.fromEntries(await Promise.all(values))
}
