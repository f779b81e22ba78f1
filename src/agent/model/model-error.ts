import { parseJson } from "../../contract/index.ts"
import { errorCode, errorText, printable, type Secrets } from "../../kit/index.ts"
import { modelLimits } from "../limits.ts"

/** What is known about a request that failed. It has no key and nothing of the request. */
export interface ModelProblem {
  /** What failed: the provider, the connection to it, the form of what came, or the answer, which just stopped. */
  readonly kind: "answer" | "network" | "format" | "stopped"
  /** The HTTP status, also of errors inside a stream. */
  readonly status: number | undefined
  /** The provider's own codes, such as "context_length_exceeded". */
  readonly code: string
  /** What the provider said, as one line. */
  readonly words: string
  readonly retryAfterMs: number | undefined
}

/** A stream that ended before its answer. */
export const stopped: ModelProblem = {
  kind: "stopped",
  status: undefined,
  code: "",
  words: "",
  retryAfterMs: undefined,
}

/** The errors of a model that `openModel` opened. */
export class ModelError extends Error {
  override readonly name = "ModelError"
  readonly problem: ModelProblem

  constructor(problem: ModelProblem) {
    super(problem.words)
    this.problem = problem
  }
}

/** Reads whatever a provider threw or put into its stream. Errors of the AI SDK carry the whole request: that stays there. */
export function readProblem(thrown: unknown, secrets?: Secrets): ModelProblem {
  if (thrown instanceof ModelError) return thrown.problem
  const error = asRecord(thrown)
  const code = codesOf(error)
  const status = statusOf(error, code)
  const hide = (text: string) => oneLine(hideKeys(secrets?.hide(text) ?? text))
  const network = networkProblem(thrown)
  if (network !== null) {
    const { code: networkCode, message } = network
    const words = hide(message)
    return { kind: "network", status, code: networkCode, words, retryAfterMs: undefined }
  }
  const retryAfterMs = retryAfter(asRecord(error.responseHeaders))
  const broken = formatProblem(error)
  if (broken !== null) return { kind: broken, status, code, words: "", retryAfterMs }
  return { kind: "answer", status, code, words: hide(wordsOf(thrown)), retryAfterMs }
}

/** The answer is not what the API promises. The messages of such errors quote all of it. */
function formatProblem({ name, data }: Readonly<Record<string, unknown>>) {
  // The only one without data says that a stream ended before its answer.
  if (name === "AI_InvalidResponseDataError") return data === undefined ? "stopped" : "format"
  const isFormat = /^AI_(?:TypeValidation|JSONParse|EmptyResponseBody)Error$/.test(String(name))
  return isFormat ? "format" : null
}

/** They are at different depths of what different providers send. */
function codesOf(error: Readonly<Record<string, unknown>>): string {
  const data = asRecord(error.data)
  const places = [error, data, asRecord(data.error), asRecord(asRecord(data.response).error)]
  return places
    .flatMap(({ code, type }) => [code, type])
    .filter((one) => typeof one === "string" || typeof one === "number")
    .join(" ")
}

/** Errors inside a stream have a code in the place of a status. */
function statusOf(error: Readonly<Record<string, unknown>>, code: string): number | undefined {
  if (typeof error.statusCode === "number") return error.statusCode
  const [number] = /\b[45]\d\d\b/.exec(code) ?? []
  if (number !== undefined) return Number(number)
  if (/overloaded/.test(code)) return 529
  if (/rate_limit/.test(code)) return 429
  return /server_error|internal_error|api_error/.test(code) ? 500 : undefined
}

/** Servers differ in where the sentence is; the AI SDK finds it in one form only. */
function wordsOf(thrown: unknown): string {
  const { message, responseBody } = asRecord(thrown)
  const parsed = asRecord(parseJson(String(responseBody)))
  const error = asRecord(parsed.error)
  const found = [error.message, parsed.message, parsed.error, parsed.detail].find(
    (one) => typeof one === "string" && one !== "",
  )
  if (typeof found === "string") return found
  return typeof message === "string" ? message : errorText(thrown)
}

const networkCodes =
  /^(?:E[A-Z]+|EAI_[A-Z]+|ERR_(?:TLS|SSL|INVALID_URL)\w*|UND_ERR_\w+|CERT_\w+|DEPTH_ZERO\w*|SELF_SIGNED\w*|UNABLE_TO\w*)$/

interface NetworkProblem {
  readonly code: string
  readonly message: string
}

/** What the connection failed with; null where the provider did answer. */
function networkProblem(thrown: unknown): NetworkProblem | null {
  for (let error = thrown, depth = 0; error instanceof Error && depth < 5; depth += 1) {
    const code = errorCode(error)
    if (code !== undefined && networkCodes.test(code)) {
      const { message } = error
      // The words of OpenSSL are places in its sources.
      if (code.startsWith("ERR_SSL_")) return { code, message: code }
      return { code, message: message.includes(code) ? message : `${code} ${message}`.trim() }
    }
    if (error instanceof TypeError && /^(?:fetch failed|terminated)$/.test(error.message)) {
      if (!(error.cause instanceof Error)) return { code: "", message: error.message }
    }
    error = error.cause
  }
  return notConnected(thrown)
}

/** What the AI SDK says of a request that was never sent, whatever the reason was. */
function notConnected(thrown: unknown): NetworkProblem | null {
  const { message, statusCode } = asRecord(thrown)
  const [, reason] = /^Cannot connect to API: (.*)$/s.exec(String(message)) ?? []
  return reason === undefined || statusCode !== undefined ? null : { code: "", message: reason }
}

/** In milliseconds. As a number of seconds or as a date. */
function retryAfter(headers: Readonly<Record<string, unknown>>): number | undefined {
  const milliseconds = Number.parseFloat(String(headers["retry-after-ms"]))
  if (milliseconds >= 0) return milliseconds
  const text = headers["retry-after"]
  if (typeof text !== "string") return undefined
  const seconds = /^\s*\d+(?:\.\d+)?\s*$/.test(text) ? Number(text) : undefined
  const wait = seconds === undefined ? Date.parse(text) - Date.now() : seconds * 1000
  return Number.isFinite(wait) ? Math.max(0, wait) : undefined
}

/** For models that a program opened with a key that is not known here. */
function hideKeys(text: string): string {
  return text
    .replaceAll(/\b(?:sk|pk|rk|gsk|xai|key|AIza)[-_][\w*.-]{6,}/g, "[key]")
    .replaceAll(/\b(bearer)\s+[\w.~+/*=-]{6,}/gi, "$1 [key]")
}

/** Some servers quote the input that they could not read, which is the whole conversation. */
function oneLine(text: string): string {
  const line = printable(text.replaceAll(/["']input["']\s*:.*$/gs, "…").replaceAll(/\s+/g, " "))
  const trimmed = line.trim()
  const most = modelLimits.quotedCharacters
  return trimmed.length > most ? `${trimmed.slice(0, most).toWellFormed()}…` : trimmed
}

function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {}
}
