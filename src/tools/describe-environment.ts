import type { Capabilities, Network } from "../contract/index.ts"
import type { PoolNetwork } from "../sandbox/index.ts"

export interface Environment {
  readonly can: Capabilities
  readonly network: PoolNetwork
}

/** How a model should picture where commands run: what they reach, whose files they see, which programs there are. */
export function describeEnvironment({ can, network }: Environment): string {
  const { initial = { kind: can.networks[0] ?? "none" } as Network } = network
  return [describeNetwork(initial), describeFiles(can), describePrograms(can)]
    .filter((sentence) => sentence !== "")
    .join(" ")
}

function describeNetwork(network: Network): string {
  switch (network.kind) {
    case "none":
      return "No network."
    case "allow-list":
      return `Network: only ${network.domains.slice(0, 20).join(", ")}.`
    case "full":
      return "Network: as on this machine."
    default:
      return network satisfies never
  }
}

function describeFiles({ isolation, mounts }: Capabilities): string {
  if (isolation === "none") return "No sandbox: it runs on this machine."
  return `None of your project's files${mounts ? ", but for what is in /mnt" : ""}.`
}

function describePrograms({ shell, programs }: Capabilities): string {
  if (shell) {
    return `A ${shell.name}, which lacks ${shell.lacks.join("; ")}.`
  }
  return programs === undefined ? "" : `Programs: ${["bash", ...programs].join(", ")}.`
}
