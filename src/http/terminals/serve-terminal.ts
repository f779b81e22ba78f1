import type { WebSocket } from "ws"
import type { Terminal, TerminalEnding, TerminalOptions } from "../../contract/index.ts"
import { type Clock, errorText } from "../../kit/index.ts"
import { httpLimits } from "../limits.ts"
import type { AcceptedSocket } from "../sockets/accept-sockets.ts"
import { keepAlive } from "./keep-alive.ts"
import { type ControlMessage, readControl, readTicket } from "./read-message.ts"
import type { TerminalPlaces } from "./terminal-places.ts"

/** What a ticket stands for. */
export interface TerminalGrant extends Omit<TerminalOptions, "signal"> {
  /** The id of the token that asked for it. */
  readonly token: string
  readonly session: string
  readonly sandbox: string
}

export interface ServeTerminalDeps {
  readonly clock: Clock
  /** Aborts when the server stops. */
  readonly stopping: AbortSignal
  /** What a ticket stands for; null for one that is not valid. */
  readonly admit: (ticket: string) => TerminalGrant | null
  readonly open: (grant: TerminalGrant, signal: AbortSignal) => Promise<Terminal>
  /** Whether the token that asked may still be used. */
  readonly isValid: (grant: TerminalGrant) => boolean
  readonly places: TerminalPlaces
}

/** The codes of RFC 6455 with which a socket is closed. */
const closeCodes = { done: 1000, stopping: 1001, refused: 1008 } as const

/** One socket: a ticket first, then a terminal until either is over. */
export function serveTerminal(
  { socket, identified }: Pick<AcceptedSocket, "socket" | "identified">,
  deps: ServeTerminalDeps,
): void {
  const { clock, stopping } = deps
  const gone = new AbortController()
  const close: Closing["close"] = (code, reason) => {
    if (socket.readyState !== socket.OPEN) return
    socket.close(closeCodes[code], reason)
    // One that does not close its side, or reads no more.
    socket.once(
      "close",
      clock.after(httpLimits.terminalCloseMs, () => socket.terminate()),
    )
    gone.abort()
  }
  const refuse = (reason: string) => close("refused", reason)
  const stop = () => {
    say(socket, { ended: { kind: "gone", why: "The server is stopping." } })
    close("stopping")
  }
  const tooLate = () => refuse("No ticket came in time.")
  const cancel = clock.after(httpLimits.socketStrangerMs, tooLate)
  stopping.addEventListener("abort", stop)
  socket.on("error", () => socket.terminate())
  socket.once("close", () => {
    cancel()
    stopping.removeEventListener("abort", stop)
    gone.abort()
  })
  socket.once("message", (data, isBinary) => {
    cancel()
    const ticket = isBinary ? null : readTicket(String(data))
    const grant = ticket === null ? null : deps.admit(ticket)
    if (!grant || !deps.isValid(grant)) return refuse("The ticket is not valid.")
    identified()
    serveGrant(socket, grant, { ...deps, gone: gone.signal, close }).catch((error: unknown) => {
      say(socket, { ended: { kind: "gone", why: errorText(error) } })
      close("done")
    })
  })
}

interface Closing {
  /** Closes the socket, and with it the terminal. */
  readonly close: (code: keyof typeof closeCodes, reason?: string) => void
}

interface Serving extends ServeTerminalDeps, Closing {
  /** Aborts when the client is gone or the socket is closed. */
  readonly gone: AbortSignal
}

async function serveGrant(
  socket: WebSocket,
  grant: TerminalGrant,
  serving: Serving,
): Promise<void> {
  const { gone, close, places, clock } = serving
  const refuse = (reason: string) => close("refused", reason)
  const leave = places.take()
  try {
    // What is sent meanwhile waits.
    socket.pause()
    const terminal = await serving.open(grant, gone).finally(() => socket.resume())
    const requireValid = () => {
      if (serving.isValid(grant)) return true
      refuse("The token is not valid any more.")
      return false
    }
    const stopPinging = keepAlive(socket, clock, requireValid)
    const window = createWindow(gone)
    receive(socket, terminal, { refuse, requireValid, acknowledge: window.acknowledge })
    say(socket, { opened: true })
    try {
      await sendOutput(socket, terminal, window)
      say(socket, { ended: describeEnding(await terminal.ended) })
      close("done")
    } finally {
      stopPinging()
      await terminal.close()
    }
  } finally {
    leave()
  }
}

/** The bytes that a client has not yet said to have taken. */
interface Window {
  /** How many more may be sent; 0 only when the client is gone. */
  room(): Promise<number>
  sent(bytes: number): void
  /** False for more than was sent. */
  acknowledge(bytes: number): boolean
}

function createWindow(gone: AbortSignal): Window {
  let unacknowledged = 0
  let wake = () => {}
  gone.addEventListener("abort", () => wake())
  return {
    async room() {
      while (unacknowledged >= httpLimits.terminalWindowBytes && !gone.aborted) {
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
      return gone.aborted ? 0 : httpLimits.terminalWindowBytes - unacknowledged
    },
    sent(bytes) {
      unacknowledged += bytes
    },
    acknowledge(bytes) {
      if (bytes > unacknowledged) return false
      unacknowledged -= bytes
      wake()
      return true
    },
  }
}

/** A program whose output the client does not take has to wait. */
async function sendOutput(socket: WebSocket, terminal: Terminal, window: Window): Promise<void> {
  for await (const bytes of terminal.output) {
    for (let at = 0; at < bytes.length; ) {
      const room = await window.room()
      if (room === 0) return
      const piece = bytes.subarray(at, at + room)
      socket.send(piece)
      window.sent(piece.length)
      at += piece.length
    }
  }
}

interface Receiving {
  readonly refuse: (reason: string) => void
  readonly requireValid: () => boolean
  readonly acknowledge: (bytes: number) => boolean
}

function receive(
  socket: WebSocket,
  terminal: Terminal,
  { refuse, requireValid, acknowledge }: Receiving,
): void {
  const type = takeInput(socket, terminal)
  const resize = lastOnly((size: { readonly columns: number; readonly rows: number }) =>
    terminal
      .resize(size.columns, size.rows)
      .catch((error) => refuse(errorText(error).slice(0, 100))),
  )
  socket.on("message", (data, isBinary) => {
    if (socket.readyState !== socket.OPEN) return
    if (isBinary) {
      if (requireValid() && !type(data as Buffer)) refuse("More was typed than is taken.")
      return
    }
    const message: ControlMessage | null = readControl(String(data))
    if (message?.kind === "resize") resize(message)
    else if (message === null || !acknowledge(message.bytes)) refuse("The message is not valid.")
  })
}

/** Passes on what is typed; false for more than a window of what the program has not taken. */
function takeInput(socket: WebSocket, terminal: Terminal): (bytes: Buffer) => boolean {
  let untaken = 0
  let taken = 0
  return (bytes) => {
    untaken += bytes.length
    if (untaken > httpLimits.terminalWindowBytes) return false
    void terminal.write(bytes).then(() => {
      untaken -= bytes.length
      taken += bytes.length
      if (taken < httpLimits.terminalWindowBytes / 8) return
      say(socket, { acknowledge: taken })
      taken = 0
    })
    return true
  }
}

/** Does one after the other, and of those that wait only the last. */
function lastOnly<Value>(work: (value: Value) => Promise<void>): (value: Value) => void {
  let waiting: { readonly value: Value } | null = null
  let isBusy = false
  return async (value) => {
    waiting = { value }
    if (isBusy) return
    isBusy = true
    while (waiting) {
      const next: { readonly value: Value } = waiting
      waiting = null
      await work(next.value)
    }
    isBusy = false
  }
}

function describeEnding(ending: TerminalEnding): unknown {
  if (ending.kind !== "exited") return ending
  return { kind: ending.kind, exit_code: ending.exitCode }
}

function say(socket: WebSocket, message: unknown): void {
  if (socket.readyState === socket.OPEN) socket.send(JSON.stringify(message))
}
