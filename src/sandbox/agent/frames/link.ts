import type { Readable, Writable } from "node:stream"
import type { Frame, frameKinds, LinkTimes } from "./frame-kinds.ts"

/** A byte stream in both directions, which may break at any byte. */
export interface LinkConnection {
  readonly readable: Readable
  readonly writable: Writable
  close(): void
}

export interface LinkOptions {
  /** Both sides know it; a connection begins with it. */
  readonly token: string
  readonly kinds: typeof frameKinds
  readonly times: LinkTimes
  /** No frame of the other side is longer. */
  readonly mostBytes: number
  readonly onFrame: (frame: Frame) => void
  /** The other side has never had what this one would have to go on from, or says what cannot be. */
  readonly onMismatch: () => void
}

export interface Link {
  send(kind: number, channel: number, payload?: Uint8Array): void
  /** Goes on over this connection, in place of the one before it; resolves when it is closed. */
  join(connection: LinkConnection): Promise<void>
  /** Whether the other side has answered on the present connection. */
  isOpen(): boolean
  /** When something was last heard, by `performance.now()`. */
  heardAt(): number
  stop(): void
}

/**
 * Frames in order, each exactly once, over one connection after another. Each has a number, and names the last one
 * that came from the other side; what the other side has not named is sent again over the next connection. How
 * much that can be is bounded by the credits of the channels.
 *
 * Its text is a part of the keeper's program, so it names nothing outside of itself.
 */
export function createLink(options: LinkOptions): Link {
  const { token, kinds, times, onFrame, onMismatch } = options
  // Length of the payload, number, last number heard, kind, channel.
  const headerBytes = 4 + 6 + 6 + 1 + 4
  const ackAt = 10
  type Sent = { readonly number: number; readonly header: Buffer; readonly payload: Uint8Array }
  /** What the other side may not have yet, the oldest first. */
  const unheard: Sent[] = []
  let lastSent = 0
  let lastHeard = 0
  let heardAt = performance.now()
  let joinedAt = heardAt
  let current: LinkConnection | null = null
  /** The other side has said what it has. */
  let isOpen = false
  let isStopped = false

  const frame = (number: number, kind: number, channel: number, payload: Uint8Array): Sent => {
    const header = Buffer.allocUnsafe(headerBytes)
    header.writeUInt32BE(payload.length, 0)
    header.writeUIntBE(number, 4, 6)
    header.writeUInt8(kind, 16)
    header.writeUInt32BE(channel, 17)
    return { number, header, payload }
  }

  let isCorked = false
  const write = ({ header, payload }: Sent) => {
    if (!current) return
    const { writable } = current
    header.writeUIntBE(lastHeard, ackAt, 6)
    // What is said in one turn goes in one write.
    if (!isCorked) {
      isCorked = true
      writable.cork()
      process.nextTick(() => {
        isCorked = false
        writable.uncork()
      })
    }
    writable.write(header)
    if (payload.length > 0) writable.write(payload)
  }
  const nothing = Buffer.alloc(0)

  const drop = () => {
    const dropped = current
    current = null
    isOpen = false
    isCorked = false
    dropped?.close()
  }

  /** False for a number that was never given. */
  const heardUpTo = (number: number): boolean => {
    if (number > lastSent) return false
    let count = 0
    while (count < unheard.length && (unheard[count]?.number ?? 0) <= number) count += 1
    unheard.splice(0, count)
    return true
  }

  const receive = (header: Buffer, payload: Buffer): boolean => {
    const number = header.readUIntBE(4, 6)
    const kind = header.readUInt8(16)
    const ack = header.readUIntBE(ackAt, 6)
    if (kind === kinds.hello) {
      if (isOpen || payload.toString() !== token) return false
      const firstUnheard = unheard[0]?.number ?? lastSent + 1
      if (ack < firstUnheard - 1 || !heardUpTo(ack)) {
        onMismatch()
        return false
      }
      isOpen = true
      for (const sent of unheard) write(sent)
      return true
    }
    if (!isOpen || !heardUpTo(ack)) return false
    if (kind === kinds.beat || number <= lastHeard) return true
    if (number !== lastHeard + 1) return false
    lastHeard = number
    onFrame({ kind, channel: header.readUInt32BE(17), payload })
    return true
  }

  const read = (connection: LinkConnection) => {
    let chunks: Buffer[] = []
    let bytes = 0
    let needed = headerBytes
    connection.readable.on("data", (chunk: Buffer) => {
      if (connection !== current) return
      heardAt = performance.now()
      chunks.push(chunk)
      bytes += chunk.length
      if (bytes < needed) return
      let rest = chunks.length === 1 ? chunk : Buffer.concat(chunks, bytes)
      for (;;) {
        needed = headerBytes
        if (rest.length < needed) break
        needed += rest.readUInt32BE(0)
        // Before the first word it may be anybody's, such as an engine that says why it can't connect.
        if (needed > options.mostBytes) return isOpen ? onMismatch() : drop()
        if (rest.length < needed) break
        const header = rest.subarray(0, headerBytes)
        const payload = rest.subarray(headerBytes, needed)
        rest = rest.subarray(needed)
        if (!receive(header, payload)) {
          // Only if it is still this one: what was received may have ended it.
          if (connection === current) drop()
          return
        }
        if (connection !== current) return
      }
      chunks = rest.length > 0 ? [rest] : []
      bytes = rest.length
    })
  }

  const beat = setInterval(() => {
    if (!current) return
    if (isOpen) write(frame(0, kinds.beat, 0, nothing))
    // After the events that wait: a process that was held up has heard what has come meanwhile.
    setImmediate(() => {
      const since = Math.max(heardAt, joinedAt)
      if (current && performance.now() - since > times.silenceMs) drop()
    })
  }, times.beatMs)

  return {
    send(kind, channel, payload = nothing) {
      if (isStopped) return
      lastSent += 1
      const sent = frame(lastSent, kind, channel, payload)
      unheard.push(sent)
      if (isOpen) write(sent)
    },
    join(connection) {
      drop()
      if (isStopped) connection.close()
      const { readable, writable } = connection
      const closed = new Promise<void>((resolve) => {
        const end = () => {
          if (connection === current) drop()
          else connection.close()
          resolve()
        }
        for (const stream of new Set([readable, writable])) {
          stream.once("close", end).on("error", end)
        }
        readable.once("end", end)
      })
      if (isStopped) return closed
      current = connection
      joinedAt = performance.now()
      read(connection)
      write(frame(0, kinds.hello, 0, Buffer.from(token)))
      return closed
    },
    isOpen: () => isOpen,
    heardAt: () => heardAt,
    stop() {
      isStopped = true
      clearInterval(beat)
      drop()
    },
  }
}
