import type { ServerContext } from "@modelcontextprotocol/server"
import { limits, omissionNote } from "../../../contract/index.ts"
import type { McpClient } from "./mcp-client.ts"
import type { PendingCall } from "./pending-call.ts"
import { tickEvery } from "./tick-every.ts"

/**
 * Live output as progress notifications, where the client asked for them, and a sign of life now and
 * then in any case. The returned function ends both.
 */
export function reportProgress(
  { session, limits: { keepAliveMs } }: McpClient,
  call: PendingCall,
  { mcpReq }: ServerContext,
): () => void {
  const token = mcpReq._meta?.progressToken
  if (token === undefined) return keepAlive(mcpReq, keepAliveMs)
  let progress = 0
  const send = (message: string) => {
    progress += 1
    const params = { progressToken: token, progress, message }
    return mcpReq.notify({ method: "notifications/progress", params }).catch(() => {})
  }
  const output = createOutput(send)
  const stopListening = session.listen((event) => {
    if (event.callId === call.id && event.kind === "call-output") output.add(event.chunk.bytes)
  })
  const started = performance.now()
  const stopTicking = tickEvery(keepAliveMs, () => {
    const seconds = Math.round((performance.now() - started) / 1000)
    void send(`[${call.tool} has been running for ${seconds} s]`)
  })
  return () => {
    stopTicking()
    stopListening()
    output.end()
  }
}

/** Only older clients answer pings; newer ones see the comments on their stream. */
function keepAlive(mcpReq: ServerContext["mcpReq"], everyMs: number): () => void {
  if (mcpReq.envelope) return () => {}
  return tickEvery(everyMs, () => {
    mcpReq.send({ method: "ping" }).catch(() => {})
  })
}

interface Output {
  add(bytes: Uint8Array): void
  end(): void
}

/** One notification at a time: what comes while a client does not read is put together and cut. */
function createOutput(send: (message: string) => Promise<void>): Output {
  const { outputEveryMs, outputBytes, outputBytesMost } = limits.mcp
  const decoder = new TextDecoder()
  let waiting = ""
  let omitted = 0
  let left: number = outputBytesMost
  let isSending = false
  let hasEnded = false

  const sendWaiting = () => {
    const text = omitted > 0 ? `${omissionNote(omitted)}${waiting}` : waiting
    waiting = ""
    omitted = 0
    return send(text)
  }
  const flush = async () => {
    if (isSending) return
    isSending = true
    while (waiting !== "" && !hasEnded) {
      await sendWaiting()
      await new Promise((resolve) => setTimeout(resolve, outputEveryMs))
    }
    isSending = false
  }

  return {
    add(bytes) {
      if (left <= 0) return
      left -= bytes.length
      waiting += decoder.decode(bytes, { stream: true })
      const excess = waiting.length - outputBytes
      if (excess > 0) {
        waiting = waiting.slice(excess)
        omitted += excess
      }
      void flush()
    },
    end() {
      hasEnded = true
      if (waiting !== "") void sendWaiting()
    },
  }
}
