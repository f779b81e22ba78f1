import { chownSync, rmSync } from "node:fs"
import { release } from "node:os"
import { join } from "node:path"
import { limits, type Network } from "../../../contract/index.ts"
import { type Agent, connectAgent } from "../../agent/agent.ts"
import { agentScript } from "../../agent/agent-script.ts"
import type { Inside } from "../../agent/create-agent-sandbox.ts"
import { createExchange } from "../../agent/exchange.ts"
import { type PipeStock, stockedSlots } from "../../agent/pipe-stock.ts"
import { exchangeName } from "../../agent/remove-abandoned.ts"
import { keepComplaint, requirePrograms, unfitImage } from "../../agent/require-programs.ts"
import { bwrapArguments } from "./bwrap-arguments.ts"
import type { ControlGroup } from "./control-groups.ts"
import type { ImageRoot } from "./images/image-root.ts"
import type { SharedFiles } from "./prepare-files.ts"
import { type StartedBwrap, startBwrap } from "./start-bwrap.ts"

export interface InsideOptions {
  readonly files: SharedFiles
  /** The image's name, and its files. */
  readonly image: string
  readonly root: ImageRoot
  /** The sandbox's own files, on this machine. */
  readonly home: string
  readonly pipes: PipeStock
  /** Where a directory for the exchange can be made. */
  readonly directory: string
  readonly temporaryBytes: number
  readonly processes: number
  /** Whom the sandbox is outside; null for whoever runs Toolkeep. */
  readonly user: number | null
  readonly createGroup: () => ControlGroup | null
}

export async function startInside(
  options: InsideOptions,
  network: Network["kind"],
): Promise<Inside> {
  const { files, home, user, root, temporaryBytes } = options
  const directory = join(options.directory, exchangeName)
  // What a Toolkeep that died has left there is of no use to anybody.
  rmSync(directory, { recursive: true, force: true })
  // Commands and what they are given pass through it: no other user of this machine may look.
  await options.pipes.take(directory)
  if (user !== null) chownSync(directory, 0, user)
  const exchange = createExchange(directory, stockedSlots)
  const group = options.createGroup()
  let kill = () => {}
  let agent: Agent | null = null
  const stop = async () => {
    // The first process of a pid namespace takes all others with it.
    kill()
    await agent?.gone
    rmSync(directory, { recursive: true, force: true })
    await group?.remove()
  }

  const explain = async (error: unknown, complaint: string, { problem }: StartedBwrap) => {
    if (root.kind === "host") throw error
    const said = complaint || (await problem).trim().replace(/^bwrap: /, "")
    throw unfitImage(options.image, said.replace(/\.?$/, "."))
  }

  try {
    const places = { root, home, exchange: directory, etc: files.etc, programs: files.programs }
    const started = await startBwrap({
      program: files.bwrap,
      args: [
        ...bwrapArguments(places, { temporaryBytes, network }),
        ...[
          "/bin/bash",
          "--noprofile",
          "--norc",
          "-c",
          // This machine's own programs are looked for before.
          root.kind === "host" ? agentScript : `${requirePrograms} ${agentScript}`,
          "bash",
          commandProcesses(options),
        ],
      ],
      user,
      filter: files.filter,
      onStart: (pids) => {
        for (const pid of pids) group?.add(pid)
      },
    })
    kill = () => started.child.kill("SIGKILL")
    agent = connectAgent({ requests: started.stdin, answers: started.stdout, kill })
    const complaint = keepComplaint(started.stdout)
    await agent.ready.catch((error: unknown) => explain(error, complaint(), started))
    let isGone = false
    agent.gone.then(() => {
      isGone = true
    })
    return { agent, exchange, isGone: () => isGone, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Since this version the kernel counts a user's processes in each user namespace apart. */
const countsApart = [5, 14] as const

/** How many processes commands may have, as bash reads it: also where no control group can be made. */
function commandProcesses({ user, processes }: InsideOptions): string {
  const [major = 0, minor = 0] = release().split(".").map(Number)
  const isApart = major > countsApart[0] || (major === countsApart[0] && minor >= countsApart[1])
  if (user === null && !isApart) return "unlimited"
  return String(processes - limits.sandbox.processesReserved)
}
