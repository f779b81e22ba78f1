import type { Envelope } from "../envelope/envelope.ts"
import { isObject } from "../schema/json.ts"
import { failureText } from "./failure-text.ts"
import { withWarnings } from "./render-openrath.ts"

/** The tool result of the document on an agent's tools over Cloudflare Sandbox. */
export interface CloudflareResult {
  readonly content: string
  readonly isError?: true
}

/** As after `yes | head`: a pipe that was read no further, which is what the command asked for. */
const brokenPipe = 141

/** In this vocabulary a command that exits non-zero is an error, with its output still there. */
export function renderForCloudflare(envelope: Envelope): CloudflareResult {
  if (!envelope.ok) return { content: failureText(envelope), isError: true }
  const { result, warnings } = envelope
  const told = withWarnings(result, warnings)
  const content = typeof told === "string" ? told : JSON.stringify(told)
  const code = isObject(result) && typeof result.exit_code === "number" ? result.exit_code : 0
  const failed = code !== 0 && code !== brokenPipe
  return failed ? { content, isError: true } : { content }
}
