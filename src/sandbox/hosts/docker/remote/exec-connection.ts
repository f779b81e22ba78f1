import { type Duplex, Readable } from "node:stream"
import type { LinkConnection } from "../../../agent/frames/link.ts"

/** The kind of a stream, three bytes of nothing, and the length of what follows. */
const headerBytes = 8

/** The engine puts a header before each piece of a program's output, which is taken off here. */
export function execConnection(socket: Duplex): LinkConnection {
  let header = Buffer.alloc(0)
  let left = 0
  const readable = new Readable({
    read: () => {
      socket.resume()
    },
  })
  socket.on("data", (chunk: Buffer) => {
    let rest = chunk
    while (rest.length > 0) {
      if (left === 0) {
        const missing = headerBytes - header.length
        header = Buffer.concat([header, rest.subarray(0, missing)])
        rest = rest.subarray(missing)
        if (header.length < headerBytes) return
        left = header.readUInt32BE(4)
        header = Buffer.alloc(0)
        continue
      }
      const piece = rest.subarray(0, left)
      left -= piece.length
      rest = rest.subarray(piece.length)
      if (!readable.push(piece)) socket.pause()
    }
  })
  const close = () => {
    socket.destroy()
    readable.destroy()
  }
  socket.once("end", close).once("close", close).on("error", close)
  return { readable, writable: socket, close }
}
