import { Readable, Writable } from "node:stream"
import { frameKinds } from "./frame-kinds.ts"
import type { Link } from "./link.ts"

/** Larger pieces would keep those of other commands waiting. */
const pieceBytes = 65_536

export function numberBytes(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32BE(value)
  return bytes
}

export interface IncomingStream {
  readonly stream: Readable
  take(bytes: Buffer): void
  end(): void
}

/** What comes over a channel. The other side may send more as it is read here, so that no more than a window waits. */
export function incomingStream(link: Link, channel: number, windowBytes: number): IncomingStream {
  let unread = 0
  let isOver = false
  const giveCredit = () => {
    const taken = unread - stream.readableLength
    if (isOver || taken < windowBytes / 2) return
    unread -= taken
    link.send(frameKinds.credit, channel, numberBytes(taken))
  }
  const stream = new Readable({
    read: giveCredit,
    destroy(error, done) {
      if (!isOver) link.send(frameKinds.close, channel)
      isOver = true
      done(error)
    },
  })
  return {
    stream,
    take(bytes) {
      if (isOver) return
      unread += bytes.length
      if (unread > windowBytes + 2 * pieceBytes) throw new Error("More came than was asked for.")
      stream.push(bytes)
      giveCredit()
    },
    end() {
      if (isOver) return
      isOver = true
      stream.push(null)
    },
  }
}

export interface OutgoingStream {
  readonly stream: Writable
  addCredit(bytes: number): void
  /** The other side has let go of it; whether a process still reads it there. */
  closed(hasReader: boolean): void
  readonly hasReader: Promise<boolean>
}

/** What goes over a channel, as fast as it is read at the other side. */
export function outgoingStream(link: Link, channel: number, windowBytes: number): OutgoingStream {
  let credit = windowBytes
  let waiting: (() => void) | null = null
  const { promise: hasReader, resolve: closed } = Promise.withResolvers<boolean>()
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      let at = 0
      const next = () => {
        waiting = null
        while (at < chunk.length && credit > 0) {
          const piece = chunk.subarray(at, at + pieceBytes)
          at += piece.length
          credit -= piece.length
          link.send(frameKinds.data, channel, piece)
        }
        if (at >= chunk.length) done()
        else waiting = next
      }
      next()
    },
    final(done) {
      link.send(frameKinds.end, channel)
      // Whatever is destroyed at its end must not take back what has not been read there.
      hasReader.then(() => done())
    },
    destroy(error, done) {
      link.send(frameKinds.close, channel)
      done(error)
    },
  })
  return {
    stream,
    hasReader,
    closed,
    addCredit(bytes) {
      credit += bytes
      waiting?.()
    },
  }
}
