import { Duplex } from "node:stream"
import { networkLimits } from "../../limits.ts"
import { type Frame, frameKinds } from "./frame-kinds.ts"
import {
  type IncomingStream,
  incomingStream,
  type OutgoingStream,
  outgoingStream,
} from "./frame-streams.ts"
import type { Link } from "./link.ts"

type Accept = (connection: Duplex) => void

/** The connections of programs inside to the proxy, each a channel in both directions. */
export function acceptConnections(link: Link, windowBytes: number) {
  interface Connection {
    readonly incoming: IncomingStream
    readonly outgoing: OutgoingStream
    readonly both: Duplex
  }
  const open = new Map<number, Connection>()
  let onConnection: Accept | null = null

  function connect(channel: number): void {
    if (!onConnection || open.size >= networkLimits.connections) {
      link.send(frameKinds.close, channel)
      return
    }
    const incoming = incomingStream(link, channel, windowBytes)
    const outgoing = outgoingStream(link, channel, windowBytes)
    const both = Duplex.from({ readable: incoming.stream, writable: outgoing.stream })
    open.set(channel, { incoming, outgoing, both })
    both
      .on("error", () => {})
      .once("close", () => {
        open.delete(channel)
        incoming.stream.destroy()
        outgoing.stream.destroy()
      })
    onConnection(both)
  }

  return {
    /** From now on; the returned function ends it. */
    accept(accept: Accept): () => void {
      onConnection = accept
      link.send(frameKinds.listen, 0, Buffer.of(1))
      return () => {
        onConnection = null
        link.send(frameKinds.listen, 0, Buffer.of(0))
      }
    },
    receive({ kind, channel, payload }: Frame): void {
      if (kind === frameKinds.connect) connect(channel)
      const connection = open.get(channel)
      if (!connection) return
      if (kind === frameKinds.data) connection.incoming.take(payload)
      // With a byte it says that all that was sent has been written.
      if (kind === frameKinds.end && payload.length > 0) connection.outgoing.closed(false)
      else if (kind === frameKinds.end) connection.incoming.end()
      if (kind === frameKinds.credit) connection.outgoing.addCredit(payload.readUInt32BE(0))
      if (kind === frameKinds.close) connection.both.destroy()
    },
    lose(): void {
      for (const { both } of open.values()) both.destroy()
    },
  }
}
