import type { EventStore, JSONRPCMessage } from "@modelcontextprotocol/server"
import { serverLimits } from "../../../limits.ts"

interface Sent {
  readonly id: string
  readonly stream: string
  readonly message: JSONRPCMessage
  readonly bytes: number
}

/** The cost of any entry, so that small messages are limited too. */
const entryBytes = 64

/** What one client was sent, for when it reconnects and names the last event it saw. The oldest goes first. */
export function replayStore(most: number = serverLimits.replayBytes): EventStore {
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
      if (stream === undefined) throw new Error("The events after that one are no longer stored.")
      const start = sent.findIndex(({ id }) => id === last) + 1
      for (const { id, stream: other, message } of sent.slice(start)) {
        // An empty message only marks where a stream begins.
        if (other === stream && Object.keys(message).length > 0) await send(id, message)
      }
      return stream
    },
  }
}
