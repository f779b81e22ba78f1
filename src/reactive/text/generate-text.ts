import { createAgent, type RunResult } from "../../agent/index.ts"
import { defineTool, type Tool, ToolFailure } from "../../contract/index.ts"
import { createId } from "../../kit/index.ts"
import type { Session } from "../../session/index.ts"
import type { Async, Input } from "../graph/types.ts"
import { labelOf } from "../steps/call-session.ts"
import { addStep, type Instance } from "../steps/instance.ts"
import type { RunControl } from "../steps/runs.ts"
import type { SandboxTool } from "../steps/sandbox-tools.ts"
import type { StepKind } from "../steps/wanted.ts"
import { limitTools } from "./limit-tools.ts"
import { PatternTool } from "./pattern-tool.ts"

export interface TextParams {
  readonly prompt: string
  readonly system?: string | undefined
  /** What the model may use, by the names that it sees: `sb.tools()` and `patternTool`. */
  readonly tools?: Readonly<Record<string, SandboxTool | PatternTool>> | undefined
  readonly when?: boolean | undefined
}

/**
 * What a model answers. It works with the tools that it is given and with no other, in a recorded session of its own beside
 * the one that the pattern runs in.
 */
export function generateText(params: Input<TextParams>): Async<string> {
  return addStep("generateText", params, textKind)
}

function textKind(instance: Instance): StepKind<TextParams> {
  return {
    name: "generateText",
    required: ["prompt"],
    optional: ["system", "tools"],
    isShared: false,
    label: ({ prompt }) => labelOf(String(prompt)),
    run: (params, control) => generate(instance, params, control),
  }
}

async function generate(
  instance: Instance,
  { prompt, system, tools = {} }: TextParams,
  { signal }: RunControl,
): Promise<string> {
  const { session, model, image } = instance
  if (model === undefined) {
    throw unavailable("There is no model: name one with run(pattern, inputs, { model }).")
  }
  if (!session.record) {
    throw unavailable("A model works in recorded sessions: open Toolkeep with `record: true`.")
  }
  const id = createId("text")
  await using child = session.child({
    ...{ name: `${session.name}-${id}`, call: id, sandboxes: "shared" },
  })
  const own = await Promise.all(
    Object.entries(tools).map(([name, tool]) =>
      tool instanceof PatternTool
        ? tool.asTool(name, { session: child, model, image })
        : sandboxTool(child, name, tool),
    ),
  )
  const given = own.filter((tool) => tool !== null)
  child.addTools(given)
  const agent = createAgent({ model, instructions: system })
  const run = agent.run(limitTools(child, given), prompt, { signal })
  return textOf(await run.result, signal)
}

/** A tool of a sandbox, which is made with the first call; null where the policy does not show it. */
async function sandboxTool(
  session: Session,
  name: string,
  { tool: called, sandbox, of, maker }: SandboxTool,
): Promise<Tool | null> {
  const view = session.sandbox(sandbox)
  const found = (await view.tools()).find((one) => one.name === called)
  if (!found) return null
  const { image } = Object(of)
  return defineTool({
    ...{ name, description: found.description, input: found.inputSchema, timeoutMs: null },
    effects: found.effects,
    async run(input: unknown, { signal }) {
      await maker.ensure(image, signal)
      return view.call(called, input, { signal })
    },
  })
}

function textOf(end: RunResult, signal: AbortSignal): string {
  switch (end.why) {
    case "finished":
    case "completed":
      return end.text
    case "aborted":
      signal.throwIfAborted()
      throw unavailable("The model was stopped.")
    case "failed":
      throw unavailable(end.text)
    case "limit":
      throw unavailable(`The model stopped at its limit: ${end.limit}.`)
    case "waiting":
      throw unavailable(`The model waits for a person: ${end.questions[0]?.text ?? "a question"}`)
    default:
      return end satisfies never
  }
}

function unavailable(message: string): ToolFailure {
  return new ToolFailure({ kind: "unavailable", message })
}
