import { Duplex } from "node:stream"
import type { Connection } from "../../contract/index.ts"

/** A connection as Node's own HTTP client wants it. Who destroys it closes the connection. */
export function connectionDuplex({ readable, writable, close }: Connection): Duplex {
  const reader = readable.getReader()
  const writer = writable.getWriter()
  writer.closed.catch(() => {})
  return new Duplex({
    read() {
      reader.read().then(
        ({ done, value }) => this.push(done ? null : value),
        (error: Error) => this.destroy(error),
      )
    },
    // A server that hangs up before it has read all may have answered: reading says how it ended.
    write(bytes: Uint8Array, _encoding, done) {
      writer.write(bytes).then(
        () => done(),
        () => done(),
      )
    },
    final(done) {
      writer.close().then(
        () => done(),
        () => done(),
      )
    },
    destroy(error, done) {
      reader.cancel().catch(() => {})
      writer.abort().catch(() => {})
      close()
      done(error)
    },
  })
}
