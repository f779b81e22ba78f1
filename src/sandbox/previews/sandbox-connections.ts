import { Duplex } from "node:stream"
import { type Connection, ToolFailure } from "../../contract/index.ts"
import { previewLimits } from "../limits.ts"
import type { Pool } from "../pool/create-pool.ts"
import type { PreviewTarget } from "./preview-table.ts"

/** The connections to servers inside that are open for previews. */
export function openSandboxConnections(sandboxes: Pool) {
  const closing = new AbortController()
  const connections = new Set<Duplex>()
  let used = 0

  async function connect({ sandbox, port }: PreviewTarget, signal: AbortSignal): Promise<Duplex> {
    // Asking for a sandbox makes it, and one that was destroyed should stay that.
    if (!sandboxes.list().some(({ name }) => name === sandbox)) throw isGone(sandbox)
    const workspace = await sandboxes.workspace(sandbox)
    const late = AbortSignal.timeout(previewLimits.connectMs)
    const ended = AbortSignal.any([signal, closing.signal, late])
    const inside = connectionDuplex(await workspace.connect(port, { signal: ended }))
    inside.on("error", () => {})
    if (signal.aborted || closing.signal.aborted) inside.destroy()
    return inside
  }

  return {
    async open(target: PreviewTarget, signal: AbortSignal): Promise<Duplex> {
      if (used >= previewLimits.connections) throw tooMany()
      used += 1
      try {
        const inside = await connect(target, signal)
        connections.add(inside)
        inside.once("close", () => {
          connections.delete(inside)
          used -= 1
        })
        return inside
      } catch (error) {
        used -= 1
        throw error
      }
    },
    endAll(): void {
      closing.abort()
      for (const inside of connections) inside.destroy()
    },
  }
}

function isGone(sandbox: string): ToolFailure {
  const message = `There is no sandbox "${sandbox}" any more.`
  return new ToolFailure({ kind: "unavailable", message })
}

function tooMany(): ToolFailure {
  const message = `The limit of ${previewLimits.connections} open preview connections is reached. Close some.`
  return new ToolFailure({ kind: "unavailable", message })
}

/** A connection as Node's own HTTP client wants it. Destroying it closes the connection. */
function connectionDuplex({ readable, writable, close }: Connection): Duplex {
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
