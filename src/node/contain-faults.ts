import { AsyncLocalStorage } from "node:async_hooks"
import type { Server } from "node:net"

export interface FaultLog {
  /** Gets one sentence for each fault. */
  readonly log: (sentence: string) => void
  /** More than this many in a second are only counted. */
  readonly mostPerSecond: number
}

/**
 * The last resort of a program that serves others: an error that nothing caught ends the call or the connection
 * that it belongs to, and the program goes on. What belongs to nobody is only logged, because it is not known to
 * concern the others. For programs alone: a library leaves the process to the program.
 */
export function containFaults({ log, mostPerSecond }: FaultLog): Disposable {
  let second = 0
  let count = 0

  function report(sentence: string): void {
    const now = Math.floor(performance.now() / 1_000)
    if (now !== second) {
      const unsaid = count - mostPerSecond
      second = now
      count = 0
      if (unsaid > 0) log(`${unsaid} more errors of this kind were not shown.`)
    }
    count += 1
    if (count <= mostPerSecond) log(sentence)
  }

  function onFault(error: unknown): void {
    try {
      const owner = takeOwner()
      report(`An error escaped and ${endingOf(owner, error)}: ${describe(error)}`)
    } catch {
      // A process that can't log continues all the same.
    }
  }

  rememberOwners()
  process.on("uncaughtException", onFault).on("unhandledRejection", onFault)
  return {
    [Symbol.dispose]() {
      process.off("uncaughtException", onFault).off("unhandledRejection", onFault)
    },
  }
}

function endingOf(owner: ReturnType<typeof takeOwner>, error: unknown): string {
  if (!owner) return "belongs to no call or connection; everything goes on"
  try {
    owner.end(error)
    return `ended ${owner.name}`
  } catch {
    return `could not end ${owner.name}`
  }
}

/** Its name, its message, and the first line of where it came from. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const [where = ""] = /\bat .*/.exec(error.stack ?? "") ?? []
  return `${error.name}: ${error.message} ${where}`.trim()
}

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
function rememberOwners(): void {
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
function takeOwner(): FaultOwner | undefined {
  const owner = owners.getStore()
  owners.enterWith(undefined)
  return owner
}
