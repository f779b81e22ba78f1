import { chownSync, rmSync } from "node:fs"
import { join } from "node:path"
import { limits, type Network } from "../../../contract/index.ts"
import type { Clock } from "../../../kit/index.ts"
import { isDead, ownerOf, untilDead } from "../../../node/index.ts"
import { restingProcesses } from "../../agent/checkpoint/look-inside.ts"
import { type Agent, connectAgent } from "../../agent/commands/agent.ts"
import { agentScript } from "../../agent/commands/agent-script.ts"
import { createExchange } from "../../agent/commands/exchange.ts"
import type { InjectedPrograms, ProgramInjector } from "../../agent/commands/inject-programs.ts"
import { type PipeStock, stockedSlots } from "../../agent/commands/pipe-stock.ts"
import {
  keepComplaint,
  requireImage,
  requirePrograms,
  UnfitImage,
} from "../../agent/commands/require-programs.ts"
import {
  type AgentSandboxDeps,
  createAgentSandbox,
  type Inside,
} from "../../agent/create-agent-sandbox.ts"
import type { HomeStack } from "../../agent/directory/home-stack.ts"
import { exchangeName } from "../../agent/directory/remove-abandoned.ts"
import { readUsage } from "../../agent/usage/read-usage.ts"
import type { ControlGroup } from "../../confine/control-groups.ts"
import type { Sandbox } from "../../host/host.ts"
import { kernelSince } from "../../kernel/kernel-since.ts"
import { sandboxLimits } from "../../limits.ts"
import { injectedPaths } from "../../programs/inject-programs.ts"
import { bwrapArguments } from "./bwrap-arguments.ts"
import { type CheckedMount, explainMounts, proveMounts, requireUnchanged } from "./check-mounts.ts"
import type { ImageRoot } from "./images/image-root.ts"
import { withMountedHome } from "./mount-home.ts"
import type { SharedFiles } from "./prepare-files.ts"
import { type StartedBwrap, startBwrap } from "./start-bwrap.ts"

type BubblewrapSandboxOptions = Omit<AgentStartOptions, "injected"> &
  Omit<AgentSandboxDeps, "start" | "shown"> & { readonly injector: ProgramInjector }

export function createBubblewrapSandbox(options: BubblewrapSandboxOptions): Promise<Sandbox> {
  const { root, injector } = options
  return createAgentSandbox({
    ...options,
    shown: options.mounts.map(({ target }) => target),
    start: (network) => {
      const start = (injected: InjectedPrograms | null) =>
        startAgent({ ...options, injected }, network)
      // This machine's own programs are looked for before.
      return root.kind === "host" ? start(null) : injector.start(root.path, start)
    },
  })
}

interface AgentStartOptions {
  readonly clock: Clock
  readonly files: SharedFiles
  /** The image's name, and its files. */
  readonly image: string
  readonly root: ImageRoot
  /** What the image lacks of the programs that are needed. */
  readonly injected: InjectedPrograms | null
  /** The sandbox's own files, on this machine, as they are when it is started. */
  readonly stack: () => HomeStack
  /** Where all sandboxes are. */
  readonly shared: string
  /** Its files outlive this process. */
  readonly isKept: () => boolean
  readonly pipes: PipeStock
  /** Where a directory for the exchange can be made. */
  readonly directory: string
  readonly temporaryBytes: number
  readonly processes: number
  /** The sandbox's user on this machine; null for the user who runs Toolkeep. */
  readonly user: number | null
  readonly mounts: readonly CheckedMount[]
  readonly createGroup: () => ControlGroup | null
}

export async function startAgent(
  options: AgentStartOptions,
  network: Network["kind"],
): Promise<Inside> {
  const { files, user, root, injected, temporaryBytes } = options
  requireUnchanged(options.mounts)
  const stack = options.stack()
  const isLayered = stack.layers.length > 0
  const directory = join(options.directory, exchangeName)
  // What a Toolkeep that died has left there is of no use to anybody.
  rmSync(directory, { recursive: true, force: true })
  // Commands and what they are given pass through it: no other user of this machine may look.
  await options.pipes.take(directory)
  if (user !== null) chownSync(directory, 0, user)
  const exchange = createExchange(directory, stockedSlots)
  const group = options.createGroup()
  let kill = async () => {}
  let agent: Agent | null = null
  let isLate = false
  const stop = async () => {
    await Promise.all([kill(), agent?.gone])
    rmSync(directory, { recursive: true, force: true })
    await Promise.all([group?.remove(), options.pipes.settled()])
  }

  const explain = async (error: unknown, complaint: string, { problem }: StartedBwrap) => {
    explainMounts(complaint, options.mounts)
    if (root.kind === "host") throw error
    const late = isLate ? "Its shell does not answer." : ""
    const said = complaint || late || (await problem).trim().replace(/^bwrap: /, "")
    const hasBash = complaint !== ""
    throw new UnfitImage(options.image, said.replace(/\.?$/, "."), { hasBash })
  }

  try {
    const paths = {
      root,
      injected,
      home: stack.writable,
      exchange: directory,
      etc: files.etc,
      programs: files.programs,
      mounts: options.mounts,
    }
    const bwrap = [
      files.bwrap,
      ...bwrapArguments(paths, { temporaryBytes, network }),
      ...[injected ? injectedPaths.bash : "/bin/bash", "--noprofile", "--norc", "-c"],
      `${requirementOf(options)}${agentScript}`,
      "bash",
      commandProcesses(options.processes, isLayered ? null : user),
    ] as const
    const home = { ...options, stack, isKept: options.isKept() }
    const [program, ...args] = isLayered ? withMountedHome(home, bwrap) : bwrap
    const started = await startBwrap({
      program,
      args,
      // Mounting is done before it becomes the sandbox's user.
      user: isLayered ? null : user,
      processes: options.processes,
      filter: files.filter,
      groups: group?.open(user) ?? [],
    })
    const first = ownerOf(started.inner)
    let isReady = false
    kill = async () => {
      // The first process of a pid namespace takes all others with it. Killed while it sets that one up, bwrap
      // itself would leave it waiting for ever.
      started.child.kill("SIGKILL")
      try {
        if (!isReady && !isDead(first)) process.kill(started.inner, "SIGKILL")
      } catch {
        // It has just ended.
      }
      // It is at its end only after all others are: until then one of them could write.
      await untilDead(first, limits.killWaitMs)
    }
    agent = connectAgent({ requests: started.stdin, answers: started.stdout, kill })
    const complaint = keepComplaint(started.stdout)
    // What an image has for a shell may be anything, also what waits for ever.
    const inTime = options.clock.after(sandboxLimits.readyMs, () => {
      isLate = true
      void kill()
    })
    await agent.ready
      .catch((error: unknown) => explain(error, complaint(), started))
      .finally(inTime)
    isReady = true
    return {
      agent,
      exchange,
      stop,
      firstProcess: async () => (isDead(first) ? null : started.inner),
      restingProcesses,
      groups: group?.directories,
      usage: async () =>
        isDead(first)
          ? null
          : readUsage({ first: started.inner, groups: group?.directories ?? [] }),
    }
  } catch (error) {
    await stop()
    throw error
  }
}

/** This machine's own programs are looked for before; only with those are its directories shown. */
function requirementOf({ root, injected, mounts }: AgentStartOptions): string {
  if (root.kind === "host") return proveMounts(mounts)
  return `${injected?.withBash ? requireImage : requirePrograms} `
}

/**
 * How many processes commands may have, as bash reads it: also where no control group can be made.
 * `user` is one that nobody else is.
 */
function commandProcesses(processes: number, user: number | null): string {
  // Since then the kernel counts a user's processes in each user namespace apart.
  if (user === null && !kernelSince(5, 14)) return "unlimited"
  return String(processes - sandboxLimits.processesReserved)
}
