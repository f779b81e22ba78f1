import { chownSync, mkdirSync, rmSync } from "node:fs"
import type { Container } from "dockerode"
import { limits } from "../../../contract/index.ts"
import { type Clock, withTimeout } from "../../../kit/index.ts"
import { type Agent, connectAgent } from "../../agent/commands/agent.ts"
import { createExchange } from "../../agent/commands/exchange.ts"
import { keepComplaint, UnfitImage } from "../../agent/commands/require-programs.ts"
import type { Inside } from "../../agent/create-agent-sandbox.ts"
import { dockerLimits } from "../../limits.ts"
import { type ContainerSpec, containerSettings } from "./container-settings.ts"
import type { Engine } from "./engine.ts"
import { isUnreachable, notStarted } from "./engine-failure.ts"
import { locateProcess } from "./locate-process.ts"
import { type Channel, openChannel } from "./open-channel.ts"

export interface StartOptions {
  readonly name: string
  /** Where commands and output are handed over, on this machine. */
  readonly exchange: string
  readonly spec: ContainerSpec
  readonly engine: Engine
  readonly clock: Clock
}

/** Starts a container whose first process is the agent. */
export async function startContainer(options: StartOptions): Promise<Inside> {
  const { name, spec, engine, exchange: directory } = options
  rmSync(directory, { recursive: true, force: true })
  // What commands are given and print is for no other user of this machine to read or to write.
  mkdirSync(directory, { mode: 0o750 })
  if (process.getuid?.() === 0) chownSync(directory, 0, spec.identity.group)
  const exchange = createExchange(directory)
  const channel = await openChannel(directory)
  const complaint = keepComplaint(channel.answers)
  const agent = connectAgent({
    ...channel,
    // An engine that is away can't help; the agent ends with its requests.
    kill: () => engine.remove(name).catch(() => void channel.requests.destroy()),
  })
  const stop = async () => {
    await end(options, channel, agent)
    rmSync(directory, { recursive: true, force: true })
  }

  try {
    const make = async () => {
      const volumes = await engine.volumesOf(spec.image)
      return engine.create(name, containerSettings(spec, volumes))
    }
    const [container, slot] = await Promise.all([make(), exchange.take()])
    exchange.giveBack(slot)
    await engine.start(container, spec.image)
    if (!(await becomesReady(container, agent, options))) {
      if (complaint() === "") throw notStarted(spec.image)
      throw new UnfitImage(spec.image, complaint(), { hasBash: true })
    }
    channel.seal()
    const firstProcess = () => engine.firstProcess(container)
    return {
      ...{ agent, exchange, stop, firstProcess },
      locate: async () => locateProcess(await firstProcess(), container.id),
      usage: () => engine.usage(container),
    }
  } catch (error) {
    // The reason it failed says more than that its remains can't be removed either.
    await stop().catch(() => {})
    throw error
  }
}

/** Without its engine a container still ends with its agent, and is removed when the engine is back. */
async function end(options: StartOptions, channel: Channel, agent: Agent): Promise<void> {
  const { name, engine, clock } = options
  const failure = await engine.remove(name).then(
    () => null,
    (error: unknown) => error,
  )
  channel.requests.destroy()
  const goes = () =>
    withTimeout(
      agent.gone.then(() => true),
      limits.killWaitMs,
      { otherwise: () => false, clock },
    )
  const hasEnded = failure === null || (isUnreachable(failure) && (await goes()))
  channel.close()
  if (!hasEnded) throw failure
}

/** False when the container ends before, or takes too long. */
export async function becomesReady(
  container: Container,
  agent: Pick<Agent, "ready">,
  { engine, clock }: Pick<StartOptions, "engine" | "clock">,
): Promise<boolean> {
  const done = new AbortController()
  const ready = agent.ready.then(
    () => true,
    () => false,
  )
  const ended = engine.ended(container, done.signal).then(() => false)
  const isReady = await withTimeout(Promise.race([ready, ended]), dockerLimits.readyMs, {
    otherwise: () => false,
    clock,
  })
  done.abort()
  return isReady
}
