import { Writable } from "node:stream"
import type { Clock } from "../../../kit/index.ts"
import { frameLimits } from "../../limits.ts"
import type { AgentStreams } from "../commands/agent.ts"
import type { DiskLook } from "../disk/watch-disk.ts"
import { acceptConnections } from "./accept-connections.ts"
import { createFrameExchange, type FrameExchange } from "./frame-exchange.ts"
import { channels, type Frame, frameKinds } from "./frame-kinds.ts"
import { incomingStream, numberBytes } from "./frame-streams.ts"
import { createLink, type LinkConnection } from "./link.ts"

/** No keeper is there any more, so that nobody has to try again. */
export class KeeperGone extends Error {}

/** The keeper's machine does not answer, and those who would know it do. */
export class KeeperSilent extends Error {}

/** An image may bring a shell of its own, so the keeper is not believed more than what it keeps. */
const untrue = "The keeper says what no keeper says."
const mostFrameBytes = 1024 ** 2

export interface KeeperConnectionOptions {
  readonly token: string
  readonly clock: Clock
  /** How many slots the keeper has already. */
  readonly slots: number
  /** Without a word for so long it is given up, while nobody says that its machine is silent. */
  readonly lostMs?: number
  /** A new connection to the keeper; throws `KeeperGone` where there is none, and `KeeperSilent`. */
  readonly dial: () => Promise<LinkConnection>
}

/** This process's side of a sandbox whose pipes a keeper has. */
export interface KeeperConnection
  extends Pick<AgentStreams, "requests" | "answers" | "isReachable"> {
  readonly exchange: FrameExchange
  readonly disk: DiskLook
  /** Resolves when the keeper has answered; rejects when that can't be. */
  readonly ready: Promise<void>
  seal(): void
  close(): void
}

export function connectKeeper(options: KeeperConnectionOptions): KeeperConnection {
  const { token, clock, dial, slots: made } = options
  const { windowBytes, beatMs, silenceMs, silentMs, redialMs } = frameLimits
  const { lostMs = frameLimits.lostMs } = options
  const ready = Promise.withResolvers<void>()
  ready.promise.catch(() => {})
  let isOver = false
  const link = createLink({
    token,
    kinds: frameKinds,
    times: { beatMs, silenceMs },
    mostBytes: mostFrameBytes,
    onFrame(frame) {
      try {
        receive(frame)
      } catch (cause) {
        lose(new KeeperGone(untrue, { cause }))
      }
    },
    onMismatch: () => lose(new KeeperGone(untrue)),
  })
  const exchange = createFrameExchange({ link, windowBytes, made })
  const answers = incomingStream(link, channels.agent, windowBytes)
  const requests = new Writable({
    write(line: Buffer, _encoding, done) {
      link.send(frameKinds.data, channels.agent, line)
      done()
    },
  })
  const accepted = acceptConnections(link, windowBytes)
  const measuring: PromiseWithResolvers<KeeperMeasurement>[] = []

  function receive(frame: Frame): void {
    ready.resolve()
    const { kind, channel, payload } = frame
    if (kind === frameKinds.measure) measuring.shift()?.resolve(JSON.parse(payload.toString()))
    else if (channel >= channels.firstConnection) accepted.receive(frame)
    else if (channel !== channels.agent || kind === frameKinds.grow) exchange.receive(frame)
    else if (kind === frameKinds.data) answers.take(payload)
    else if (kind === frameKinds.end) answers.end()
  }

  /** Whatever waits for the keeper is answered that it is gone. */
  function lose(error: Error): void {
    if (isOver) return
    isOver = true
    link.stop()
    ready.reject(error)
    exchange.lose(error)
    accepted.lose()
    answers.stream.destroy()
    for (const { reject } of measuring.splice(0)) reject(error)
  }

  const silentSince = (time: number) => performance.now() - Math.max(link.heardAt(), time)

  async function keepConnected(): Promise<void> {
    /** When something else than the keeper's machine was last to blame. */
    let excusedAt = performance.now()
    while (!isOver) {
      try {
        await link.join(await dial())
      } catch (error) {
        if (error instanceof KeeperGone) return lose(error)
        if (!(error instanceof KeeperSilent)) excusedAt = performance.now()
        else if (silentSince(excusedAt) > silentMs) return lose(connectionLost())
      }
      if (silentSince(0) > lostMs) return lose(connectionLost())
      if (!isOver) await new Promise<void>((resume) => clock.after(redialMs, resume))
    }
  }
  keepConnected()

  const ask = (most: number): Promise<KeeperMeasurement> => {
    const asked = Promise.withResolvers<KeeperMeasurement>()
    if (isOver) asked.reject(new Error("The keeper is gone."))
    else {
      measuring.push(asked)
      link.send(frameKinds.measure, 0, numberBytes(most))
    }
    return asked.promise
  }
  // Answered at once: it says that the keeper is there.
  ask(-1).catch(() => {})

  return {
    requests,
    answers: answers.stream,
    exchange: Object.assign(exchange, { accept: accepted.accept }),
    isReachable: () => link.isOpen(),
    disk: {
      free: async () => (await ask(-1)).free,
      home: async (most) => (await ask(Math.min(most, 2 ** 31 - 1))).home ?? nothing,
    },
    ready: ready.promise,
    seal: () => link.send(frameKinds.seal, 0),
    close: () => lose(new KeeperGone("The sandbox was stopped.")),
  }
}

const connectionLost = () => new Error("The connection to the sandbox was lost.")

const nothing = { bytes: 0, files: 0, isUnsure: true }

interface KeeperMeasurement {
  readonly free: Awaited<ReturnType<DiskLook["free"]>>
  readonly home: Awaited<ReturnType<DiskLook["home"]>> | null
}
