import type { Socket } from "node:net"
import { limits } from "../../contract/index.ts"
import { type Clock, onAbort } from "../../kit/index.ts"
import type { Outside } from "./dialer.ts"

export interface ConnectionWish {
  readonly addresses: readonly string[]
  readonly port: number
  readonly signal: AbortSignal
}

/** Connects to the first of the addresses that answers. */
export async function openConnection(
  { addresses, port, signal }: ConnectionWish,
  { outside, clock }: { readonly outside: Outside; readonly clock: Clock },
): Promise<Socket> {
  let problem: unknown = new Error("There is no address.")
  for (const address of addresses.slice(0, limits.network.addressesTried)) {
    signal.throwIfAborted()
    try {
      return await connected(outside.connect(address, port), signal, clock)
    } catch (error) {
      problem = error
    }
  }
  throw problem
}

async function connected(socket: Socket, signal: AbortSignal, clock: Clock): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>()
  const abort = () => socket.destroy(new Error("It is not allowed any more."))
  const cancel = clock.after(limits.network.connectMs, () => {
    socket.destroy(new Error("It does not answer."))
  })
  const stopListening = onAbort(signal, abort)
  socket.once("connect", () => resolve(socket)).once("error", reject)
  socket.once("close", () => reject(new Error("It closed the connection.")))
  return promise.finally(() => {
    cancel()
    stopListening()
    // Whoever gets the socket hears of its end by "close".
    socket.on("error", () => {})
  })
}
