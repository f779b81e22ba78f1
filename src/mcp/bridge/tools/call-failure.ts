import { cutText, limits, ToolFailure } from "../../../contract/index.ts"

/** JSON-RPC's number for arguments that do not fit. */
const invalidParams = -32_602

interface FailedCall {
  readonly server: string
  /** Why the server ended, when it did. */
  readonly why: string | null
  /** The login that it asks for, when it does. */
  readonly login: string | null
  readonly signal: AbortSignal
  /** Takes out of a text what may not be in a message. */
  readonly hide: (text: string) => string
}

/** Why a call had no answer. */
export function callFailure(error: unknown, failed: FailedCall): unknown {
  const { server, why, login, signal, hide } = failed
  if (signal.aborted) return signal.reason
  const named = `The MCP server ${JSON.stringify(server)}`
  if (login !== null) {
    const message = `${named} did not let the call in: ${login}`
    return new ToolFailure({ kind: "unavailable", message, retryable: false }, { cause: error })
  }
  if (why !== null || isClosed(error)) {
    const message = `${named} ended during the call. ${hide(why ?? "")}`.trim()
    return new ToolFailure({ kind: "unavailable", message }, { cause: error })
  }
  const said = cutText(
    hide(error instanceof Error ? error.message : String(error)),
    limits.bridge.errorBytes,
  )
  const isInput = error instanceof Error && "code" in error && error.code === invalidParams
  return new ToolFailure(
    {
      kind: isInput ? "invalid_args" : "execution_error",
      message: isInput ? said.text : `${named} answered with an error: ${said.text}`,
    },
    { cause: error },
  )
}

function isClosed(error: unknown): boolean {
  const codes: readonly unknown[] = ["CONNECTION_CLOSED", "NOT_CONNECTED", "SEND_FAILED"]
  return error instanceof Error && "code" in error && codes.includes(error.code)
}
