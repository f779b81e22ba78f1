import { mkdtempSync } from "node:fs"
import { join } from "node:path"
import { isStepCount, ToolLoopAgent, tool } from "ai"
import { z } from "zod"
import { createAgent } from "../../src/agent/index.ts"
import { defineTool } from "../../src/contract/index.ts"
import { openToolkeep, type Toolkeep } from "../../src/session/index.ts"
import { countingModel, type LoopSize } from "./counting-model.ts"

/** A loop that can be run; it resolves with what stays of it. */
export type Loop = (size: LoopSize) => Promise<unknown>

/** Toolkeep's agent in recorded sessions. */
export async function recordedLoop(directory: string): Promise<Loop & AsyncDisposable> {
  const home = mkdtempSync(join(directory, "loop-"))
  const tools = [addTool]
  const keep: Toolkeep = await openToolkeep({ host: "memory", home, tools, record: true })
  let sessions = 0
  const loop = async (size: LoopSize) => {
    sessions += 1
    const session = keep.session(`loop ${sessions}`)
    const model = countingModel("add", size)
    const limits = { rounds: size.rounds + 1, calls: size.rounds * size.calls }
    const run = createAgent({ model, limits }).run(session, "Add.")
    const result = await run.result
    if (result.why !== "finished") throw new Error(`The run ended: ${JSON.stringify(result)}`)
    return [session, run, result]
  }
  return Object.assign(loop, { [Symbol.asyncDispose]: () => keep.close() })
}

/** The loop of the AI SDK, which records nothing. */
export async function referenceLoop(size: LoopSize): Promise<unknown> {
  const model = countingModel("add", size)
  const stopWhen = isStepCount(size.rounds + 1)
  const agent = new ToolLoopAgent({ model, tools: { add: sdkTool }, stopWhen })
  const result = await agent.stream({ prompt: "Add." })
  await result.consumeStream()
  const steps = await result.steps
  if (steps.length !== size.rounds + 1) throw new Error(`The loop made ${steps.length} steps.`)
  return [agent, result, steps]
}

const addTool = defineTool({
  name: "add",
  description: "Adds two numbers.",
  effects: ["read"],
  input: {
    type: "object",
    properties: { a: { type: "number" }, b: { type: "number" } },
    required: ["a", "b"],
    additionalProperties: false,
  } as const,
  run: ({ a, b }) => ({ sum: a + b }),
})

const sdkTool = tool({
  description: "Adds two numbers.",
  inputSchema: z.object({ a: z.number(), b: z.number() }),
  execute: ({ a, b }) => ({ sum: a + b }),
})
