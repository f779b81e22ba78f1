/**
 * A process of its own that reads event streams, as pages and programs elsewhere would. It looks only at the numbers of
 * entries: what a reader makes of them is not what is measured.
 */
import { get } from "node:http"
import { setPriority } from "node:os"

export interface ReaderOptions {
  readonly url: string
  readonly token: string
  /** For each stream its session, and the last entry that it has. */
  readonly streams: readonly { readonly session: string; readonly after: number }[]
}

export interface ReaderReport {
  /** The last entry of each stream. */
  readonly last: readonly number[]
  /** Entries that were not the next one. */
  readonly wrong: number
}

const marker = Buffer.from("\nid: ")
const end = Buffer.from("\n\n")

/** Gives each whole event's number to `take`, and returns what is left. */
function readNumbers(bytes: Buffer, take: (id: number) => void): Buffer {
  const whole = bytes.lastIndexOf(end) + 1
  for (let at = bytes.indexOf(marker); at >= 0 && at < whole; at = bytes.indexOf(marker, at + 1)) {
    const from = at + marker.length
    take(Number(bytes.toString("latin1", from, bytes.indexOf("\n", from))))
  }
  return bytes.subarray(whole)
}

function follow({ url, token, streams }: ReaderOptions): () => ReaderReport {
  const last = streams.map(({ after }) => after)
  let wrong = 0
  const open = (stream: number) => {
    const address = new URL(`/api/sessions/${streams[stream]?.session}/events`, url)
    const headers = { Authorization: `Bearer ${token}`, "Last-Event-ID": String(last[stream]) }
    let rest: Buffer = Buffer.alloc(0)
    const request = get(address, { agent: false, headers }, (response) => {
      response.on("data", (bytes: Buffer) => {
        rest = readNumbers(rest.length > 0 ? Buffer.concat([rest, bytes]) : bytes, (id) => {
          if (id !== (last[stream] ?? 0) + 1) wrong += 1
          last[stream] = id
        })
      })
    })
    request.on("error", () => {})
    // A reader that was too slow goes on where it was.
    request.on("close", () => setTimeout(open, 250, stream))
  }
  for (const stream of streams.keys()) open(stream)
  return () => ({ last, wrong })
}

// Readers are on other machines: what they need of this one's processor is not the server's.
setPriority(19)
let report: (() => ReaderReport) | undefined
process.on("message", (message: ReaderOptions | "report") => {
  if (message === "report") process.send?.(report?.())
  else report = follow(message)
})
process.on("disconnect", () => process.exit())
