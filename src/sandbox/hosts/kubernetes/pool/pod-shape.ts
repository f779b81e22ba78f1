import type { Capabilities } from "../../../../contract/index.ts"
import { sha256 } from "../../../../node/index.ts"
import { heldLimits } from "../../../host/choose-limits.ts"
import { sandboxLimits } from "../../../limits.ts"
import type { PackedDirectory } from "../../../programs/pack-directory.ts"
import { type PodShape, podSettings } from "../pods/pod-settings.ts"

/** All that decides what a pod can be used for. What comes with each command is not among it. */
export interface PooledShape {
  readonly shape: PodShape
  readonly programs: PackedDirectory | null
  readonly lent: PackedDirectory | null
}

/** What a pod with these limits is, beside what it is made from. */
export function podShape(
  { limits }: Pick<Capabilities, "limits">,
  rest: Omit<PodShape, "limits">,
): PodShape {
  const diskBytes = limits.diskBytes ?? sandboxLimits.diskBytes
  return { ...rest, limits: { ...heldLimits(limits), diskBytes } }
}

const hashCharacters = 32

/** The same for two Toolkeeps only where their pods are the same, programs of the keeper and the agent among it. */
export function hashOf({ shape, programs, lent }: PooledShape): string {
  const pod = podSettings({ ...shape, name: "", token: "", owner: "", user: 0, network: "open" })
  const sent = [programs, lent].map((packed) => packed && [process.version, packed.bytes])
  return sha256(JSON.stringify([pod, sent])).slice(0, hashCharacters)
}
