import { Readable, Writable } from "node:stream"
import type { WebSocket } from "ws"
import type { LinkConnection } from "../../../agent/frames/link.ts"
import { kubernetesLimits } from "../../../limits.ts"

/** The first byte of each message says which stream the others belong to. */
const streams = { stdin: 0, stdout: 1, stderr: 2, status: 3 } as const

/** Both versions of the protocol that carry bytes; the newer one can also say that the input has ended. */
export const execProtocols = ["v5.channel.k8s.io", "v4.channel.k8s.io"]

/** A program that was started in a container: its input, its output, and how it ended. */
export interface ExecConnection extends LinkConnection {
  /** What it says about failures, cut to a few lines. */
  complaint(): string
  /** The exit code; null where the connection ended before it was known. */
  readonly ended: Promise<number | null>
}

/** What a program's streams are over a WebSocket. Each side waits while the other does not read. */
export function execConnection(socket: WebSocket): ExecConnection {
  const ended = Promise.withResolvers<number | null>()
  let complaint = ""
  const readable = new Readable({ read: () => socket.resume() })
  let hasEnded = false
  const end = () => {
    if (!hasEnded) readable.push(null)
    hasEnded = true
  }
  const close = () => {
    ended.resolve(null)
    // Not a closing handshake: the other side may be gone.
    socket.terminate()
    readable.destroy()
    writable.destroy()
  }
  const send = (pieces: readonly Uint8Array[], done: (error?: Error | null) => void) => {
    const message = Buffer.concat([Buffer.of(streams.stdin), ...pieces])
    socket.send(message, (error) => done(error))
  }
  const writable = new Writable({
    highWaterMark: kubernetesLimits.messageBytes,
    write: (piece: Buffer, _encoding, done) => send([piece], done),
    writev: (pieces, done) =>
      send(
        pieces.map(({ chunk }) => chunk),
        done,
      ),
  })
  writable.on("error", close)
  socket.on("message", (data: Buffer) => {
    const bytes = data.subarray(1)
    if (data[0] === streams.stdout && bytes.length > 0 && !hasEnded && !readable.push(bytes))
      socket.pause()
    if (data[0] === streams.stderr) {
      complaint = (complaint + bytes.toString()).slice(0, kubernetesLimits.reasonCharacters)
    }
    // Each stream begins with a message of nothing.
    if (data[0] === streams.status && bytes.length > 0) {
      const status = exitOf(bytes.toString())
      complaint ||= status.complaint
      ended.resolve(status.code)
      end()
    }
  })
  socket.once("close", () => {
    // What has come is still read.
    end()
    ended.resolve(null)
    writable.destroy()
  })
  socket.on("error", close)
  return { readable, writable, close, complaint: () => complaint.trim(), ended: ended.promise }
}

/** A `Status` of the API: either success, or a failure whose causes name the exit code. */
function exitOf(text: string): { readonly code: number | null; readonly complaint: string } {
  try {
    const status = JSON.parse(text) as ExecStatus
    if (status.status === "Success") return { code: 0, complaint: "" }
    const cause = status.details?.causes?.find(({ reason }) => reason === "ExitCode")
    if (cause?.message !== undefined) return { code: Number(cause.message), complaint: "" }
    return { code: null, complaint: status.message ?? "" }
  } catch {
    return { code: null, complaint: text }
  }
}

interface ExecStatus {
  readonly status?: string
  readonly message?: string
  readonly details?: {
    readonly causes?: readonly { readonly reason?: string; readonly message?: string }[]
  }
}
