import { createAgent, openModel } from "../../agent/index.ts"
import { ToolFailure } from "../../contract/index.ts"
import type { ServerAgent } from "../../http/index.ts"
import type { Arguments } from "../flags/command.ts"
import { readPolicy } from "../flags/open-session.ts"
import { agentSettings, findModel, requirePrices } from "../run/agent-settings.ts"

/** The agent that the console asks: the same model and limits as `toolkeep run` has. Its questions wait in the record. */
export function serverAgent(given: Arguments): ServerAgent {
  return {
    async open() {
      const policy = await readPolicy(given)
      const configured = agentSettings(policy)
      requirePrices(configured)
      const model = findModel(given, policy)
      if (model === undefined) throw noModel()
      return { model, agent: createAgent({ ...configured, model: await openModel(model) }) }
    },
  }
}

function noModel(): ToolFailure {
  return new ToolFailure({
    kind: "unavailable",
    message:
      "To ask a model from here, set TOOLKEEP_MODEL (such as anthropic/claude-sonnet-4-5) and its key (such as ANTHROPIC_API_KEY), or agent.model in toolkeep.yaml, and start the server again.",
    retryable: false,
  })
}
