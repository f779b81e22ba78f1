import type { HttpBindings } from "@hono/node-server"
import type { Context } from "hono"

/** One for all: each request ends with it, and the stack of an error of its own costs more than the rest. */
const clientGone = new DOMException("The client is gone.", "AbortError")

/** Aborts when the client is gone or the server has stopped. */
export function connectionSignal(
  { env }: Context<{ Bindings: HttpBindings }>,
  stopped: AbortSignal,
): AbortSignal {
  const gone = new AbortController()
  const { outgoing } = env
  if (outgoing.closed) gone.abort(clientGone)
  else outgoing.once("close", () => gone.abort(clientGone))
  return AbortSignal.any([gone.signal, stopped])
}
