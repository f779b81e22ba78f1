import { type Network, ToolFailure } from "../../contract/index.ts"
import type { Host } from "../host/host.ts"
import type { NamedSandbox, PoolBinding, SandboxRecord } from "./named-sandbox.ts"
import { isTaken, notRemembered, tooMany } from "./refusals.ts"

/** The sandboxes that one pool hands to another. */
export interface HandedSandboxes {
  readonly host: Host
  /** Where the pool that has them is persisted. */
  readonly directory: string | undefined
  readonly sandboxes: readonly NamedSandbox[]
  /** From here on the pool does not have them any more; throws where that can't be saved. */
  readonly release: () => void
}

export interface PoolMovesDeps {
  readonly host: Host
  readonly directory: string | undefined
  readonly sandboxes: Map<string, NamedSandbox>
  /** How many sandboxes there may be. */
  readonly most: number
  readonly requireOpen: () => void
  readonly requireNetwork: (network: Network) => Promise<void>
  readonly remember: (records: readonly SandboxRecord[]) => void
  readonly saveLater: (name: string) => void
  readonly bind: (name: string) => PoolBinding
  /** What was decided about this name before does not hold any more. */
  readonly revise: (name: string) => void
}

export interface PoolMoves {
  /** Hands all sandboxes to another pool; returns their names. Processes in them go on. */
  moveTo(target: Pick<PoolMoves, "adopt">): Promise<readonly string[]>
  adopt(handed: HandedSandboxes): Promise<void>
}

/** Moves sandboxes from one pool to another. */
export function createPoolMoves(deps: PoolMovesDeps): PoolMoves {
  const { host, directory, sandboxes, requireOpen, remember } = deps
  const records = () => [...sandboxes.values()].map(({ record }) => record)

  function release(): void {
    const before = [...sandboxes]
    sandboxes.clear()
    try {
      remember([])
    } catch (error) {
      for (const [name, sandbox] of before) sandboxes.set(name, sandbox)
      throw error
    }
    for (const [name] of before) deps.revise(name)
  }

  async function requireFitting(handed: HandedSandboxes): Promise<void> {
    requireOpen()
    if (handed.host !== host || (handed.directory === undefined) !== (directory === undefined)) {
      throw refuse("Sandboxes move only between sessions of one Toolkeep.")
    }
    for (const { network } of handed.sandboxes.map(({ record }) => record)) {
      if (network) await deps.requireNetwork(network)
    }
    const names = handed.sandboxes.map(({ record }) => record.name)
    const taken = names.find((name) => sandboxes.has(name))
    if (taken !== undefined) throw isTaken(taken)
    if (sandboxes.size + names.length > deps.most) throw tooMany(deps.most, names)
  }

  /**
   * The pool that releases them decides: a process that ends before that leaves them there, and one that ends after
   * it leaves them here (`ownRecords`).
   */
  async function adopt(handed: HandedSandboxes): Promise<void> {
    await requireFitting(handed)
    const moving = handed.sandboxes.map(({ record }): SandboxRecord => {
      return { ...record, checkpoint: undefined, movedFrom: handed.directory }
    })
    try {
      remember([...records(), ...moving])
      handed.release()
    } catch (error) {
      // The entry that stays is wrong, and the process that opens it notices that.
      throw notRemembered(error)
    }
    for (const sandbox of handed.sandboxes) {
      const { name } = sandbox.record
      sandbox.joinPool(deps.bind(name))
      sandboxes.set(name, sandbox)
      deps.revise(name)
    }
    for (const { record } of handed.sandboxes) deps.saveLater(record.name)
  }

  return {
    adopt,
    async moveTo(target) {
      requireOpen()
      const handed = [...sandboxes.values()]
      if (handed.length === 0) return []
      await target.adopt({ host, directory, sandboxes: handed, release })
      return handed.map(({ record }) => record.name)
    },
  }
}

function refuse(message: string): ToolFailure {
  return new ToolFailure({ kind: "invalid_args", message, retryable: false })
}
