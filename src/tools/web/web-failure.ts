import { ToolFailure } from "../../contract/index.ts"
import { webLimits } from "../limits.ts"

/** What went wrong between this machine and another, as one sentence that names the other. */
export function webFailure(error: unknown, { host }: URL): ToolFailure {
  if (error instanceof ToolFailure) return error
  const code = error instanceof Error && "code" in error ? String(error.code) : ""
  const options = { cause: error }
  const unavailable = (what: string) =>
    new ToolFailure({ kind: "unavailable", message: `${host} ${what}.` }, options)
  const wrong = (what: string) =>
    new ToolFailure({ kind: "execution_error", message: `${host} ${what}.` }, options)
  switch (code) {
    case "UND_ERR_HEADERS_OVERFLOW":
      return wrong(`answers with more than ${webLimits.headerBytes} bytes of headers`)
    case "UND_ERR_SOCKET":
    case "ECONNRESET":
    case "EPIPE":
    case "UND_ERR_RES_CONTENT_LENGTH_MISMATCH":
      return unavailable("closed the connection before its answer was complete")
    default:
  }
  // The client asserts what it takes for granted, such as a status of at least 100.
  if (error instanceof Error && /^(HTTPParser|Assertion)Error$/.test(error.name))
    return wrong("answers with something that is not HTTP")
  if (isCompression(code)) return wrong("sends a body that is not compressed as it says")
  const reason = error instanceof Error ? error.message : String(error)
  if (isCertificate(code)) return unavailable(`can't be trusted: ${reason}`)
  return unavailable(`did not answer: ${reason}`)
}

function isCompression(code: string): boolean {
  return /^(Z_|ERR__?ERROR_|ERR_PADDING|ERR_BROTLI|ZSTD_error|ERR_ZSTD|ERR_ZLIB)/.test(code)
}

function isCertificate(code: string): boolean {
  return /CERT|^ERR_TLS|^ERR_SSL|UNABLE_TO_/.test(code)
}
