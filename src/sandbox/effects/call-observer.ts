import type {
  CallEffects,
  Listed,
  Network,
  NetworkEffects,
  NetworkUse,
  Unknown,
  Workspace,
} from "../../contract/index.ts"
import { errorText } from "../../kit/index.ts"
import type { Sandbox, SandboxSpan, SandboxWatch } from "../host/host.ts"
import { effectsLimits } from "../limits.ts"
import type { NetworkDecision } from "../network/decide-target.ts"
import { limitTexts, ReadFiles } from "./read-files.ts"

export type SandboxEffects = Omit<CallEffects, "output">

/** Looks at a sandbox from the start of a call to its end. */
export interface CallObservation {
  /** The same workspace, where what the call reads is seen. */
  watched(workspace: Workspace): Workspace
  end(): Promise<SandboxEffects>
}

interface Observed {
  readonly call: string
  readonly shared: Set<string>
  readonly reached: NetworkUses
  readonly refused: NetworkUses
  readonly networks: Set<Network["kind"]>
}

export interface ObserverDeps {
  readonly sandbox: Pick<Sandbox, "name" | "can" | "watch">
  readonly network: () => Network
}

/** Tells what calls do in one sandbox. */
export class CallObserver {
  readonly #deps: ObserverDeps
  readonly #observed = new Set<Observed>()

  constructor(deps: ObserverDeps) {
    this.#deps = deps
  }

  async begin(call: string): Promise<CallObservation> {
    const { sandbox, network } = this.#deps
    const observed: Observed = {
      ...{ call, shared: new Set(), networks: new Set([network().kind]) },
      ...{ reached: new NetworkUses(), refused: new NetworkUses() },
    }
    for (const other of this.#observed) {
      other.shared.add(call)
      observed.shared.add(other.call)
    }
    this.#observed.add(observed)
    const span = await this.#span()
    const read = new ReadFiles()
    return {
      watched: (workspace) => read.watched(workspace),
      end: async () => {
        const { files: seen, processes, memory } = await endOf(span)
        this.#observed.delete(observed)
        // Another call may have changed a file before this one read it.
        const files = limitTexts(observed.shared.size === 0 ? read.complete(seen) : seen)
        observed.networks.add(network().kind)
        return {
          ...{ sandbox: sandbox.name, shared: [...observed.shared], files },
          ...{ network: this.#networkOf(observed), processes, memory },
        }
      },
    }
  }

  decided({ target, port, allowed, rule }: NetworkDecision): void {
    for (const { reached, refused } of this.#observed) {
      const uses = allowed ? reached : refused
      uses.add({ target, port, rule })
    }
  }

  async #span(): Promise<SandboxSpan | Unknown> {
    const { watch, can } = this.#deps.sandbox
    if (!watch) return { unknown: `the host ${can.host} does not show it` }
    try {
      const watching: SandboxWatch = await watch()
      return await watching.begin()
    } catch (error) {
      return { unknown: `it could not be looked at: ${errorText(error)}` }
    }
  }

  /** Only a proxy sees what is tried, and only an allow-list has one. */
  #networkOf({ networks, reached, refused }: Observed): NetworkEffects {
    const { can, watch } = this.#deps.sandbox
    if (!watch) {
      const unknown = { unknown: `the host ${can.host} does not show it` }
      return { reached: unknown, refused: unknown }
    }
    if (networks.has("full")) {
      const unknown = { unknown: "the sandbox has the full network, which nobody watches" }
      return { reached: unknown, refused: unknown }
    }
    if (!networks.has("none")) return { reached: reached.listed(), refused: refused.listed() }
    const unseen = "the sandbox has no network, and nobody sees what is tried all the same"
    if (!networks.has("allow-list")) return { reached: nothing, refused: { unknown: unseen } }
    return { reached: reached.listed(), refused: { unknown: unseen } }
  }
}

const nothing: Listed<never> = { count: 0, first: [] }

async function endOf(
  span: SandboxSpan | Unknown,
): Promise<Pick<SandboxEffects, "files" | "processes" | "memory">> {
  if ("unknown" in span) return { files: span, processes: span, memory: span }
  try {
    return await span.end()
  } catch (error) {
    const unknown = { unknown: `it could not be looked at: ${errorText(error)}` }
    return { files: unknown, processes: unknown, memory: unknown }
  }
}

/** Each target once, however often it was tried. */
class NetworkUses {
  readonly #first = new Map<string, NetworkUse>()
  #count = 0

  add(use: NetworkUse): void {
    const key = `${use.target} ${use.port} ${use.rule}`
    if (this.#first.has(key)) return
    this.#count += 1
    if (this.#first.size < effectsLimits.listed) this.#first.set(key, use)
  }

  listed(): Listed<NetworkUse> {
    return { count: this.#count, first: [...this.#first.values()] }
  }
}
