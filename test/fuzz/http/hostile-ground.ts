import { type AddressInfo, createServer, type Socket } from "node:net"
import { expect } from "vitest"
import type { Random } from "../random.ts"
import { createRandom } from "../random.ts"
import type { Script } from "./hostile-http.ts"
import { play, turns } from "./play-script.ts"

/** A server on loopback that answers each connection with what a script says, whatever it is asked. */
export interface HostileServer extends AsyncDisposable {
  readonly port: number
  /** Connections that are open. */
  readonly open: ReadonlySet<Socket>
  /** What it does from now on; a plain answer when null. */
  setScripts(make: (() => Script) | null): void
}

const plainAnswer = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nplain"

export async function openHostileServer(): Promise<HostileServer> {
  let make: (() => Script) | null = null
  const open = new Set<Socket>()
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    open.add(socket)
    socket.on("error", () => {}).once("close", () => open.delete(socket))
    socket.on("end", () => socket.end())
    socket.once("data", () => {
      if (make) void playAndEnd(socket, make())
      else socket.end(plainAnswer)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    port: (server.address() as AddressInfo).port,
    open,
    setScripts(next) {
      make = next
    },
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Who has said something and only stays leaves too, when it was waited for a while. */
async function playAndEnd(socket: Socket, script: Script): Promise<void> {
  if (script.pieces.length === 0 && script.ending === "stay") return
  await play(socket, script)
  await turns(30)
  socket.destroy()
}

/**
 * Sends what a script says, and hears what comes back until the other side has closed. Whoever is not closed
 * leaves by itself when it has heard nothing for so many turns.
 */
export async function visit(socket: Socket, script: Script, patience = Infinity): Promise<string> {
  let heard = ""
  let silence = 0
  socket.on("error", () => {}).setEncoding("latin1")
  socket.on("data", (bytes) => {
    silence = 0
    if (heard.length < 10_000) heard += bytes
  })
  await play(socket, script)
  for (; !socket.closed; silence += 1) {
    if (silence > patience) socket.destroy()
    await turns(1)
  }
  return heard
}

/** Runs so many cases, a few at once; each has a generator of its own that its number repeats. */
export async function runCases(
  {
    count,
    seed,
    atOnce = 8,
  }: { readonly count: number; readonly seed: number; readonly atOnce?: number },
  run: (random: Random, index: number) => Promise<void>,
): Promise<void> {
  let next = 0
  const runner = async () => {
    while (next < count) {
      const index = next++
      await run(createRandom(seed * 100_003 + index), index)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, runner))
}

/** What escaped from every handler since it was asked for; in a program of its own that is its end. */
export function watchEscapes(): Disposable & { readonly escaped: readonly string[] } {
  const escaped: string[] = []
  const onError = (error: unknown) => {
    escaped.push(error instanceof Error ? `${error.stack}` : String(error))
  }
  process.on("uncaughtExceptionMonitor", onError).on("unhandledRejection", onError)
  return {
    escaped,
    [Symbol.dispose]() {
      process.off("uncaughtExceptionMonitor", onError).off("unhandledRejection", onError)
    },
  }
}

/** How often each status was answered with; what broke before one is "nothing". */
export class Answers {
  readonly #counts = new Map<string, number>()

  count(heard: string): void {
    const [, status = "nothing"] = /^HTTP\/1\.1 (\d{3}) /.exec(heard) ?? []
    this.#counts.set(status, (this.#counts.get(status) ?? 0) + 1)
  }

  /** The share of answers that are neither a refusal nor none at all: without any, nothing was tried. */
  passed(): number {
    const all = [...this.#counts]
    const sum = (some: typeof all) => some.reduce((total, [, count]) => total + count, 0)
    const refusals = new Set(["nothing", "400", "403", "407", "431", "502"])
    return sum(all.filter(([status]) => !refusals.has(status))) / sum(all)
  }
}

/** How many sockets this process holds, of either end. */
export function countSockets(): number {
  const held = process.getActiveResourcesInfo()
  return held.filter((kind) => kind === "TCPSocketWrap" || kind === "PipeWrap").length
}

/** Waits until only so many are left. */
export async function expectSockets(count: number): Promise<void> {
  await expect.poll(countSockets).toBeLessThanOrEqual(count)
}
