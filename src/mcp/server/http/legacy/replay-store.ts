import type { EventStore, JSONRPCMessage } from "@modelcontextprotocol/server"
import { limits } from "../../../../contract/index.ts"

interface Sent {
  readonly id: string
  readonly stream: string
  readonly message: JSONRPCMessage
  readonly bytes: number
}

/** What holding any message costs, so that small ones are not held without end. */
const entryBytes = 64

/** What one client was sent, for when it comes back and says what it saw last. The oldest goes first. */
export function replayStore(most: number = limits.mcp.replayBytes): EventStore {
  const sent: Sent[] = []
  let bytesHeld = 0
  let count = 0
  const streamOf = (id: string) => sent.find((one) => one.id === id)?.stream

  return {
    async storeEvent(stream, message) {
      count += 1
      const id = `${count}`
      const bytes = JSON.stringify(message).length + entryBytes
      sent.push({ id, stream, message, bytes })
      bytesHeld += bytes
      while (bytesHeld > most && sent.length > 1) bytesHeld -= sent.shift()?.bytes ?? 0
      return id
    },
    getStreamIdForEventId: async (id) => streamOf(id),
    async replayEventsAfter(last, { send }) {
      const stream = streamOf(last)
      if (stream === undefined) throw new Error("What was sent after that is no longer held.")
      const start = sent.findIndex(({ id }) => id === last) + 1
      for (const { id, stream: other, message } of sent.slice(start)) {
        // An empty one only marks where a stream begins.
        if (other === stream && Object.keys(message).length > 0) await send(id, message)
      }
      return stream
    },
  }
}
