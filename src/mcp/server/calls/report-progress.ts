import type { ServerContext } from "@modelcontextprotocol/server"
import { omissionNote } from "../../../contract/index.ts"
import { sleep } from "../../../kit/index.ts"
import { serverLimits } from "../../limits.ts"
import type { McpClient } from "./mcp-client.ts"
import type { PendingCall } from "./pending-call.ts"

/** Sends live output as progress notifications if the client asked for them, and regular signs of life anyway. */
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
    if (event.kind === "call-output" && event.callId === call.id) output.add(event.chunk.bytes)
  })
  const started = performance.now()
  const ticking = setInterval(() => {
    const seconds = Math.round((performance.now() - started) / 1000)
    void send(`[${call.tool} has been running for ${seconds} s]`)
  }, keepAliveMs).unref()
  return () => {
    clearInterval(ticking)
    stopListening()
    output.end()
  }
}

/** Only legacy clients answer pings; modern ones see the comments on their stream. */
function keepAlive(mcpReq: ServerContext["mcpReq"], everyMs: number): () => void {
  if (mcpReq.envelope) return () => {}
  const ping = () => void mcpReq.send({ method: "ping" }).catch(() => {})
  const pinging = setInterval(ping, everyMs).unref()
  return () => clearInterval(pinging)
}

/** One notification at a time: output that comes while a client does not read is joined and cut. */
export function createOutput(send: (message: string) => Promise<void>) {
  const { outputEveryMs, outputBytes, outputBytesMost } = serverLimits
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
      await sleep(outputEveryMs)
    }
    isSending = false
  }

  return {
    add(bytes: Uint8Array): void {
      if (left <= 0) {
        omitted += bytes.length
        return
      }
      left -= bytes.length
      waiting += decoder.decode(bytes, { stream: true })
      if (waiting.length > outputBytes) {
        const kept = waiting.slice(-outputBytes).replace(/^[\uDC00-\uDFFF]/, "")
        omitted += Buffer.byteLength(waiting.slice(0, waiting.length - kept.length))
        waiting = kept
      }
      void flush()
    },
    end(): void {
      hasEnded = true
      waiting += decoder.decode()
      if (waiting !== "" || omitted > 0) void sendWaiting()
    },
  }
}
