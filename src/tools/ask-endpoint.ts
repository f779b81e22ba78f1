import type { ModelEndpoint } from "../config/index.ts"
import { isObject, parseJson, parseObject, ToolFailure } from "../contract/index.ts"
import { Secrets, trimEndOf } from "../kit/index.ts"
import { endpointLimits } from "./limits.ts"

/** For a tool's `missing`: the environment variable that an endpoint's key is not in. */
export function missingKey(tool: string, { key_from }: ModelEndpoint): string | null {
  if (key_from === undefined || process.env[key_from]) return null
  return `${tool} needs the key of its model: set the environment variable ${key_from}.`
}

export interface EndpointRequest {
  /** Below the endpoint's address, such as "chat/completions". */
  readonly path: string
  readonly body: FormData | object
  readonly signal: AbortSignal
}

/** Asks an OpenAI-compatible endpoint; answers with the JSON that it answers with. */
export async function askEndpoint(
  endpoint: ModelEndpoint,
  request: EndpointRequest,
): Promise<unknown> {
  const { signal } = request
  const response = await send(endpoint, request)
  const text = await readText(response, signal)
  if (!response.ok) throw refusal(endpoint, response.status, text)
  const answer = parseJson(text)
  if (answer !== undefined) return answer
  throw new ToolFailure({
    kind: "execution_error",
    message: `The model at ${hostOf(endpoint)} answered with something other than JSON. Check models in toolkeep.yaml.`,
  })
}

async function send(endpoint: ModelEndpoint, { path, body, signal }: EndpointRequest) {
  const isForm = body instanceof FormData
  const key = endpoint.key_from === undefined ? undefined : process.env[endpoint.key_from]
  try {
    return await fetch(`${trimEndOf(endpoint.url, "/")}/${path}`, {
      method: "POST",
      // A key goes to the address that was configured, and nowhere else.
      redirect: "error",
      headers: {
        ...(isForm ? {} : { "content-type": "application/json" }),
        ...(key ? { authorization: `Bearer ${key}` } : {}),
      },
      body: isForm ? body : JSON.stringify(body),
      signal,
    })
  } catch (error) {
    throw unreachable(endpoint, error, signal)
  }
}

async function readText(response: Response, signal: AbortSignal): Promise<string> {
  const decoder = new TextDecoder()
  let text = ""
  let bytes = 0
  try {
    for await (const chunk of response.body ?? []) {
      bytes += chunk.length
      if (bytes > endpointLimits.answerBytes) break
      text += decoder.decode(chunk, { stream: true })
    }
  } catch (error) {
    signal.throwIfAborted()
    throw new ToolFailure(
      {
        kind: "unavailable",
        message: "The connection closed before the model's answer was complete. Try again.",
      },
      { cause: error },
    )
  }
  if (bytes <= endpointLimits.answerBytes) return text
  throw new ToolFailure({
    kind: "execution_error",
    message: `The model's answer is longer than ${endpointLimits.answerBytes} bytes.`,
  })
}

function unreachable(endpoint: ModelEndpoint, error: unknown, signal: AbortSignal): ToolFailure {
  signal.throwIfAborted()
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  // Its message may quote the key, or the whole address.
  const code = cause instanceof Error && "code" in cause ? ` (${cause.code})` : ""
  return new ToolFailure({
    kind: "unavailable",
    message: `The model at ${hostOf(endpoint)} can't be reached${code}. Check models in toolkeep.yaml.`,
  })
}

function refusal(endpoint: ModelEndpoint, status: number, text: string): ToolFailure {
  const reason = secretsOf(endpoint).hide(reasonIn(text)).slice(0, 200)
  const message = `The model at ${hostOf(endpoint)} answered ${status}${reason ? `: ${reason}` : ""}.`
  const passes = status === 429 || status >= 500
  if (status === 401 || status === 403) {
    const key = endpoint.key_from ?? "key_from in toolkeep.yaml"
    return new ToolFailure({
      kind: "unavailable",
      message: `${message} Check its key, ${key}.`,
      retryable: false,
    })
  }
  return new ToolFailure({ kind: passes ? "unavailable" : "execution_error", message })
}

function reasonIn(text: string): string {
  const error = parseObject(text)?.error
  const message = isObject(error) ? error.message : undefined
  return typeof message === "string" ? message.replace(/\.$/, "") : ""
}

/** A refusal may repeat what it refuses. */
function secretsOf({ url, key_from }: ModelEndpoint): Secrets {
  const key = key_from === undefined ? "" : (process.env[key_from] ?? "")
  return new Secrets().add(key_from ?? "key", key).add("url", url)
}

/** Without what may be secret in an address. */
function hostOf({ url }: ModelEndpoint): string {
  return URL.canParse(url) ? new URL(url).host : "the configured address"
}
