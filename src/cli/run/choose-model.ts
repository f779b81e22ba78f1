import type { PolicyConfig } from "../../config/index.ts"
import { ToolFailure } from "../../contract/index.ts"
import type { Arguments } from "../flags/command.ts"

/** The model's id, from the flag or an earlier run in the session, the environment, or toolkeep.yaml. */
export function chooseModel(given: Arguments, policy: string | PolicyConfig): string {
  const configured = typeof policy === "string" ? undefined : policy.agent?.model
  const model = given.text("model") ?? (process.env.TOOLKEEP_MODEL?.trim() || configured)
  if (model !== undefined) return model
  throw new ToolFailure({
    kind: "unavailable",
    message:
      "No model is chosen: run `export TOOLKEEP_MODEL=anthropic/claude-sonnet-4-5`, give --model, or set agent.model in toolkeep.yaml.",
    retryable: false,
  })
}
