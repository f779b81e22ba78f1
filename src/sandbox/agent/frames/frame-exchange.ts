import type { Exchange, Slot, SlotPipes } from "../commands/exchange.ts"
import { channels, type Frame, frameKinds } from "./frame-kinds.ts"
import {
  type IncomingStream,
  incomingStream,
  numberBytes,
  type OutgoingStream,
  outgoingStream,
} from "./frame-streams.ts"
import type { Link } from "./link.ts"

const mostSlotsAtOnce = 256
/** An input that is longer is a pipe: as a file it would be the keeper's memory. */
const fileInputBytes = 65_536

export interface FrameExchange extends Exchange {
  take(): Promise<Slot>
  /** What the keeper says about slots. */
  receive(frame: Frame): void
  /** Nothing more will be said. */
  lose(error: Error): void
}

interface OpenChannels {
  readonly outputs: readonly [IncomingStream, IncomingStream]
  readonly input: OutgoingStream | null
}

export interface FrameExchangeOptions {
  readonly link: Link
  readonly windowBytes: number
  /** How many slots there are already. */
  readonly made: number
}

/** The slots of a sandbox whose pipes a keeper has. */
export function createFrameExchange(options: FrameExchangeOptions): FrameExchange {
  const { link, windowBytes } = options
  const open = new Map<number, OpenChannels>()
  const written = new Map<number, Buffer>()
  const free: Slot[] = []
  let made = 0
  let growing: PromiseWithResolvers<void> | null = null

  function add(total: number): void {
    const fresh = Array.from({ length: total - made }, (_, index) => createSlot(made + index))
    made = total
    free.push(...fresh.reverse())
  }

  function createSlot(number: number): Slot {
    const channelOf = (part: number) => number * channels.perSlot + part
    return {
      number,
      open(hasPipe): SlotPipes {
        link.send(frameKinds.open, channelOf(0), written.get(number))
        written.delete(number)
        const stdout = incomingStream(link, channelOf(channels.stdout), windowBytes)
        const stderr = incomingStream(link, channelOf(channels.stderr), windowBytes)
        const input = hasPipe ? outgoingStream(link, channelOf(channels.stdin), windowBytes) : null
        open.set(number, { outputs: [stdout, stderr], input })
        return {
          stdin: input?.stream ?? null,
          stdout: stdout.stream,
          stderr: stderr.stream,
          // The keeper lets go when the agent says that the command is over.
          release() {},
        }
      },
      hasReader: async () => (await open.get(number)?.input?.hasReader) ?? false,
    }
  }
  add(options.made)

  return {
    directory: null,
    fileInputBytes,
    async take() {
      for (;;) {
        const slot = free.pop()
        if (slot) return slot
        if (!growing) {
          growing = Promise.withResolvers<void>()
          link.send(frameKinds.grow, 0, numberBytes(Math.min(mostSlotsAtOnce, made)))
        }
        await growing.promise
      }
    },
    giveBack: (slot) => {
      free.push(slot)
    },
    write({ number }, fields, stdin) {
      const command = Buffer.from(fields.map((field) => `${field}\0`).join(""))
      const head = Buffer.alloc(5)
      head.writeUInt8(stdin ? 0 : 1, 0)
      head.writeUInt32BE(command.length, 1)
      written.set(number, Buffer.concat([head, command, stdin ?? Buffer.alloc(0)]))
    },
    forget({ number }) {
      written.delete(number)
      link.send(frameKinds.forget, number * channels.perSlot)
    },
    lose(error) {
      for (const { outputs, input } of open.values()) {
        for (const output of outputs) output.end()
        input?.closed(true)
      }
      growing?.reject(error)
    },
    receive({ kind, channel, payload }) {
      if (kind === frameKinds.grow) {
        const total = payload.readUInt32BE(0)
        if (total > made + mostSlotsAtOnce) throw new Error("More slots came than were asked for.")
        add(total)
        growing?.resolve()
        growing = null
        return
      }
      const slot = open.get(Math.floor(channel / channels.perSlot))
      const part = channel % channels.perSlot
      if (part === channels.stdin) {
        if (kind === frameKinds.credit) slot?.input?.addCredit(payload.readUInt32BE(0))
        if (kind === frameKinds.close) slot?.input?.closed(payload.readUInt8(0) === 1)
        return
      }
      const output = slot?.outputs[part - channels.stdout]
      if (kind === frameKinds.data) output?.take(payload)
      if (kind === frameKinds.end) output?.end()
    },
  }
}
