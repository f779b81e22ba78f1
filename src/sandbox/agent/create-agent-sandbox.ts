import type { Capabilities } from "../../contract/index.ts"
import type { Clock } from "../../kit/index.ts"
import type { CommandOutput } from "../commands/command-output.ts"
import type { Sandbox } from "../host.ts"
import type { Operation, OperationControl, OperationResults } from "../operation.ts"
import { sandboxClosed } from "../sandbox-closed.ts"
import type { Agent } from "./agent.ts"
import type { Exchange } from "./exchange.ts"
import { listDirectory, readFile, statFile, writeFile } from "./file-operations.ts"
import { removeTree } from "./remove-tree.ts"
import { type AgentScope, runCommand } from "./run-command.ts"

/** What lives while a sandbox is awake: its agent and the way to it. */
export interface Inside {
  readonly agent: Agent
  readonly exchange: Exchange
  isGone(): boolean
  /** Ends every process inside, and frees everything but the sandbox's own files. */
  stop(): Promise<void>
}

export interface AgentSandboxParts {
  readonly name: string
  readonly can: Capabilities
  readonly clock: Clock
  /** All that the sandbox has on this machine; it goes when the sandbox goes. */
  readonly directory: string
  readonly start: () => Promise<Inside>
}

type Handlers = {
  readonly [Kind in Operation["kind"]]: (
    operation: Extract<Operation, { kind: Kind }>,
    control: OperationControl,
    scope: AgentScope,
  ) => Promise<OperationResults[Kind]>
}

const handlers: Handlers = {
  "command.run": runCommand,
  "file.read": readFile,
  "file.write": writeFile,
  "file.stat": statFile,
  "file.list": listDirectory,
}

/** A sandbox whose work is done by an agent inside, which is started anew when it is gone. */
export async function createAgentSandbox(parts: AgentSandboxParts): Promise<Sandbox> {
  const { name, can, clock, directory, start } = parts
  const closing = new AbortController()
  const leftOpen = new Set<CommandOutput>()
  let inside = start()
  await inside.catch(async (error) => {
    await removeTree(directory)
    throw error
  })

  /** A command that ends the agent ends all its neighbours; the next one finds a new agent. */
  async function awake(): Promise<Inside> {
    const seen = inside
    const current = await seen.catch(() => null)
    if (current && !current.isGone()) return current
    // Only the first to see that it is gone starts another; a start that failed is tried again.
    if (inside === seen) inside = Promise.resolve(current?.stop()).then(start)
    return inside
  }

  async function perform<Kind extends Operation["kind"]>(
    operation: Extract<Operation, { kind: Kind }>,
    control: OperationControl,
  ): Promise<OperationResults[Kind]> {
    control.signal.throwIfAborted()
    if (closing.signal.aborted) throw sandboxClosed()
    const { agent, exchange } = await awake()
    const scope = { agent, exchange, clock, closing: closing.signal, leftOpen }
    return handlers[operation.kind as Kind](operation, control, scope)
  }

  let destroyed: Promise<void> | null = null
  async function endEverything(): Promise<void> {
    closing.abort()
    const last = await inside.catch(() => null)
    await last?.stop()
    for (const output of leftOpen) output.close()
    await removeTree(directory)
  }

  return {
    name,
    can,
    home: "/home/user",
    roots: ["/home/user", "/tmp"],
    perform,
    destroy: () => {
      destroyed ??= endEverything().catch((error) => {
        // What could not be removed can be tried again.
        destroyed = null
        throw error
      })
      return destroyed
    },
  }
}
