import type { SandboxLimits } from "../../../src/contract/index.ts"
import type { Host } from "../../../src/sandbox/index.ts"
import { type BrokenHost, plain, replaceSandboxes } from "./broken-host.ts"

const mebibyte = 1024 ** 2

const declared = {
  memoryBytes: 1024 * mebibyte,
  diskBytes: 1024 * mebibyte,
  processes: 512,
  processors: 2,
}

/** Hosts that say which limits a sandbox has, and do not hold it to them. */
export const flawedLimits: readonly BrokenHost[] = [
  {
    flaw: "says that a sandbox has limits, and keeps none of them",
    caughtBy: ["limits.memory", "limits.processes", "limits.disk"],
    breakHost: onlyDeclared,
  },
  {
    flaw: "takes any number for a limit",
    caughtBy: ["limits.nonsense"],
    breakHost: onlyDeclared,
  },
]

/** Whatever is wished is said to be so. */
function onlyDeclared(good: Host): Host {
  return {
    ...replaceSandboxes(good, (sandbox) => sandbox),
    can: { ...good.can, limits: declared },
    async create({ limits: wish, ...spec }) {
      const sandbox = await good.create(spec)
      const wished = Object.entries(wish ?? {}).filter(([, value]) => value !== undefined)
      const limits: SandboxLimits = { ...declared, ...Object.fromEntries(wished) }
      return { ...plain(sandbox), can: { ...sandbox.can, limits } }
    },
  }
}
