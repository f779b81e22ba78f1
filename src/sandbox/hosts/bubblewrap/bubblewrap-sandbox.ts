import { chownSync, existsSync, mkdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import type { Capabilities } from "../../../contract/index.ts"
import type { Clock } from "../../../kit/index.ts"
import { type Agent, connectAgent } from "../../agent/agent.ts"
import { agentScript } from "../../agent/agent-script.ts"
import { createExchange, type Exchange } from "../../agent/exchange.ts"
import { listDirectory, readFile, statFile, writeFile } from "../../agent/file-operations.ts"
import { type AgentScope, runCommand } from "../../agent/run-command.ts"
import type { Sandbox } from "../../host.ts"
import type { Operation, OperationControl, OperationResults } from "../../operation.ts"
import { sandboxClosed } from "../../sandbox-closed.ts"
import { bwrapArguments } from "./bwrap-arguments.ts"
import type { ControlGroup } from "./control-groups.ts"
import { startBwrap } from "./start-bwrap.ts"

export interface BubblewrapParts {
  readonly name: string
  readonly can: Capabilities
  readonly clock: Clock
  readonly program: string
  readonly directory: string
  readonly etc: string
  readonly filterFile: string
  readonly temporaryBytes: number
  readonly user: number | null
  readonly createGroup: () => ControlGroup | null
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
  const home = join(parts.directory, "home")
  const exchangeDirectory = join(parts.directory, "exchange")
  mkdirSync(exchangeDirectory, { recursive: true, mode: 0o755 })
  if (!existsSync(home)) {
    mkdirSync(home, { recursive: true, mode: 0o755 })
    if (parts.user !== null) chownSync(home, parts.user, parts.user)
  }
  const group = parts.createGroup()
  const exchange: Exchange = createExchange(exchangeDirectory)
  const started = await startBwrap({
    program: parts.program,
    args: [
      ...bwrapArguments({ home, exchange: exchangeDirectory, etc: parts.etc }, parts),
      ...["/bin/bash", "--noprofile", "--norc", "-c", agentScript, "bash"],
    ],
    user: parts.user,
    filterFile: parts.filterFile,
    onStart: (pids) => {
      for (const pid of pids) group?.add(pid)
    },
  })
  const agent: Agent = connectAgent(started.stdin, started.stdout)
  const [first] = await Promise.all([exchange.take(), agent.ready])
  exchange.giveBack(first)
  const closing = new AbortController()
  const scope: AgentScope = {
    agent,
    exchange,
    clock: parts.clock,
    closing: closing.signal,
    leftOpen: new Set(),
  }

  async function perform<Kind extends Operation["kind"]>(
    operation: Extract<Operation, { kind: Kind }>,
    control: OperationControl,
  ): Promise<OperationResults[Kind]> {
    control.signal.throwIfAborted()
    if (closing.signal.aborted) throw sandboxClosed()
    return handlers[operation.kind as Kind](operation, control, scope)
  }

  async function destroy(): Promise<void> {
    if (closing.signal.aborted) return agent.gone
    closing.abort()
    // The first process of a pid namespace takes all others with it.
    started.child.kill("SIGKILL")
    await agent.gone
    for (const output of scope.leftOpen) output.close()
    rmSync(parts.directory, { recursive: true, force: true })
    await group?.remove()
  }

  return {
    name: parts.name,
    can: parts.can,
    home: "/home/user",
    roots: ["/home/user", "/tmp"],
    perform,
    destroy,
  }
}
