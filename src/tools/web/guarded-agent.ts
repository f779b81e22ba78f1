import { Agent, buildConnector } from "undici"
import { ToolFailure } from "../../contract/index.ts"
import type { EgressGuard } from "../../sandbox/index.ts"
import { webLimits } from "../limits.ts"

/**
 * Connections of one call, each to an address that was checked for it. The check sits here because this
 * is the only place that every request passes, also one that a redirect asks for.
 */
export function reachAgent(reach: EgressGuard, signal: AbortSignal): Agent {
  const secure = buildConnector({ timeout: 0 })
  const connect: buildConnector.connector = (options, callback) => {
    const isSecure = options.protocol === "https:"
    const port = Number(options.port) || (isSecure ? 443 : 80)
    connectTo(reach, { host: options.hostname, port, signal }).then(
      (socket) => {
        if (isSecure) secure({ ...options, httpSocket: socket }, callback)
        else callback(null, socket)
      },
      (error) => callback(error, null),
    )
  }
  return new Agent({
    connect,
    maxHeaderSize: webLimits.headerBytes,
    // The call's own deadline ends them.
    headersTimeout: 0,
    bodyTimeout: 0,
  })
}

interface Target {
  readonly host: string
  readonly port: number
  readonly signal: AbortSignal
}

async function connectTo(reach: EgressGuard, { host, port, signal }: Target) {
  const connection = await reach.open(host, port, signal)
  signal.throwIfAborted()
  const name = `${host.includes(":") ? `[${host}]` : host}:${port}`
  switch (connection.kind) {
    case "open":
      return connection.socket
    case "failed":
      throw new ToolFailure({
        kind: "unavailable",
        message: `${name} could not be reached: ${connection.reason}.`,
      })
    case "denied":
      if (connection.because === "lookup") {
        throw new ToolFailure({
          kind: "unavailable",
          message: `${name} could not be reached: ${connection.rule}.`,
        })
      }
      throw new ToolFailure({
        kind: "rejected",
        message: `${name} may not be reached: ${connection.rule}. The section network of toolkeep.yaml says what may be.`,
      })
    default:
      return connection satisfies never
  }
}
