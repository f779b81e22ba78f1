import type { Duplex } from "node:stream"
import { limits } from "../../contract/index.ts"

/** What a browser sends before it is agreed what these bytes are. */
export interface EarlyBytes {
  /** All of them; from now on the stream is the caller's. */
  take(): Buffer
}

/** Read at once, because only who reads notices that the other side has left. */
export function readEarly(client: Duplex, head: Buffer): EarlyBytes {
  const pieces = [head]
  let size = head.length
  const leave = () => client.destroy()
  const keep = (bytes: Buffer) => {
    pieces.push(bytes)
    size += bytes.length
    if (size > limits.preview.headerBytes) leave()
  }
  client.on("data", keep).on("end", leave)
  return {
    take() {
      client.pause().off("data", keep).off("end", leave)
      return Buffer.concat(pieces)
    },
  }
}
