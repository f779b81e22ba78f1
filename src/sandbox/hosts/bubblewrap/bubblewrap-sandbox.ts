import { chmodSync, chownSync, mkdirSync } from "node:fs"
import { join } from "node:path"
import type { Capabilities } from "../../../contract/index.ts"
import type { Clock } from "../../../kit/index.ts"
import { listDirectory, readFile, statFile, writeFile } from "../../agent/file-operations.ts"
import { removeTree } from "../../agent/remove-tree.ts"
import { type AgentScope, runCommand } from "../../agent/run-command.ts"
import type { CommandOutput } from "../../commands/command-output.ts"
import type { Sandbox } from "../../host.ts"
import type { Operation, OperationControl, OperationResults } from "../../operation.ts"
import { sandboxClosed } from "../../sandbox-closed.ts"
import { type Inside, type InsideOptions, startInside } from "./start-inside.ts"

export interface BubblewrapParts extends Omit<InsideOptions, "home"> {
  readonly name: string
  readonly can: Capabilities
  readonly clock: Clock
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

export async function createBubblewrapSandbox(parts: BubblewrapParts): Promise<Sandbox> {
  const { name, can, clock, user, directory } = parts
  const home = join(directory, "home")
  mkdirSync(home, { recursive: true, mode: 0o755 })
  // Other users of this machine may walk to it, and not into it.
  chmodSync(home, 0o700)
  if (user !== null) chownSync(home, user, user)
  const closing = new AbortController()
  const leftOpen = new Set<CommandOutput>()
  const start = () => startInside({ ...parts, home })
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
      destroyed ??= endEverything()
      return destroyed
    },
  }
}
