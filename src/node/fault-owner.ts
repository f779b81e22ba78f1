import { AsyncLocalStorage } from "node:async_hooks"
import type { Server } from "node:net"

/** What an error that nothing catches belongs to: a call, a connection. Others are not to suffer from it. */
export interface FaultOwner {
  /** For a person, such as "the call of shell.exec". */
  readonly name: string
  /** Ends this and nothing else. */
  end(error: unknown): void
}

const owners = new AsyncLocalStorage<FaultOwner | undefined>()
let areAsked = false

/** From now on owners are remembered. In a process that never asks for them, each call would pay for nothing. */
export function rememberOwners(): void {
  areAsked = true
}

/** Whatever this starts belongs to the owner, also what happens later because of it. */
export function runOwned<Result>(owner: FaultOwner, work: () => Result): Result {
  return areAsked ? owners.run(owner, work) : work()
}

/** Each connection of a server owns what is done for it. */
export function ownConnections(server: Server, name: string): void {
  // Before the server's own listener, whose parser remembers who owns it.
  server.prependListener("connection", (socket) => {
    owners.enterWith({ name, end: () => socket.destroy() })
  })
}

/** The owner of what runs right now. An error that escapes leaves its owner in place, so it is taken away. */
export function takeOwner(): FaultOwner | undefined {
  const owner = owners.getStore()
  owners.enterWith(undefined)
  return owner
}
