import { createId } from "../../../src/kit/index.ts"
import {
  createWorkspace,
  type Host,
  type Operation,
  type Sandbox,
  type SandboxSpec,
} from "../../../src/sandbox/index.ts"
import { sandboxLimits } from "../../../src/sandbox/limits.ts"
import { type BrokenHost, plain, replaceSandboxes } from "./broken-host.ts"

/** Other hosts have none. */
const base = "bubblewrap"

/** Hosts whose snapshots are not what they say. */
export const flawedSnapshots: readonly BrokenHost[] = [
  {
    flaw: "makes every sandbox empty, whatever it is to be made of",
    caughtBy: ["snapshots.content", "snapshots.outlives-source"],
    base,
    breakHost: (good) => altered(good, ({ from, ...spec }) => good.create(spec)),
  },
  {
    flaw: "loses the modes of files in a snapshot",
    caughtBy: ["snapshots.content"],
    base,
    breakHost: (good) =>
      altered(good, async (spec) => {
        const sandbox = await good.create(spec)
        if (spec.from) await createWorkspace(sandbox).exec("chmod -R u=rwX,go=rX .")
        return sandbox
      }),
  },
  {
    flaw: "takes a snapshot when it is first used",
    caughtBy: ["snapshots.source-goes-on"],
    base,
    breakHost: heldLate,
  },
  {
    flaw: "makes one sandbox of a snapshot for all who ask",
    caughtBy: ["snapshots.fork-goes-on", "snapshots.at-once"],
    base,
    breakHost: oneForAll,
  },
  {
    flaw: "brings back what was removed between two snapshots",
    caughtBy: ["snapshots.removed-stays-removed"],
    base,
    breakHost: bringsBack,
  },
  {
    flaw: "starts again what a snapshot has ended",
    caughtBy: ["snapshots.while-running"],
    base,
    breakHost: (good) => replaceSandboxes(good, startsAgain),
  },
  {
    flaw: "takes only so many snapshots of each other",
    caughtBy: ["snapshots.deep"],
    base,
    breakHost: shallow,
  },
  {
    flaw: "removes snapshots with the sandbox that they are of",
    caughtBy: ["snapshots.outlives-source"],
    base,
    breakHost: (good) => replaceSandboxes(good, (sandbox) => takesAlong(good, sandbox)),
  },
  {
    flaw: "makes an empty sandbox of a snapshot that is not there",
    caughtBy: ["snapshots.unknown"],
    base,
    breakHost: (good) =>
      altered(good, ({ from, ...spec }) =>
        good.create({ ...spec, from }).catch(() => good.create(spec)),
      ),
  },
]

function altered(good: Host, create: (spec: SandboxSpec) => Promise<Sandbox>): Host {
  return { ...replaceSandboxes(good, (sandbox) => sandbox), create }
}

function heldLate(good: Host): Host {
  const taken = new Map<string, () => Promise<string>>()
  return {
    ...good,
    can: good.can,
    removeSnapshot: async () => {},
    async create({ from, ...spec }) {
      const snapshot = from === undefined ? undefined : await taken.get(from)?.()
      const sandbox = await good.create({ ...spec, from: snapshot })
      return {
        ...plain(sandbox),
        async snapshot() {
          const id = createId("late")
          taken.set(id, () => sandbox.snapshot())
          return id
        },
      }
    },
  }
}

function oneForAll(good: Host): Host {
  const made = new Map<string, Promise<Sandbox>>()
  return altered(good, (spec) => {
    if (spec.from === undefined) return good.create(spec)
    const sandbox = made.get(spec.from) ?? good.create(spec)
    made.set(spec.from, sandbox)
    return sandbox
  })
}

/** Lays the files of a snapshot over those of the one before, and forgets what was removed. */
function bringsBack(good: Host): Host {
  const before = new Map<string, string>()
  return altered(good, async (spec) => {
    const { from } = spec
    const sandbox = await good.create(spec)
    const earlier = from === undefined ? undefined : before.get(from)
    if (earlier !== undefined) {
      const old = await good.create({ name: createId("old"), from: earlier })
      const { stdout } = await createWorkspace(old).exec("tar -c . | base64")
      const stdin = stdout
      await createWorkspace(sandbox).exec("base64 -d | tar -x --skip-old-files", { stdin })
      await old.destroy()
    }
    return {
      ...plain(sandbox),
      async snapshot() {
        const id = await sandbox.snapshot()
        if (from !== undefined) before.set(id, from)
        return id
      },
    }
  })
}

function startsAgain(good: Sandbox): Sandbox {
  const running = new Set<() => void>()
  return {
    ...plain(good),
    perform(operation, control) {
      const again = () => void good.perform(operation as Operation, control).catch(() => {})
      const work = good.perform(operation, control)
      if (operation.kind !== "command.run") return work
      running.add(again)
      const forget = () => running.delete(again)
      work.then(forget, () => setTimeout(forget))
      return work
    },
    async snapshot() {
      const ended = [...running]
      const id = await good.snapshot()
      for (const again of ended) again()
      return id
    },
  }
}

function shallow(good: Host): Host {
  const depths = new Map<string, number>()
  return altered(good, async (spec) => {
    let depth = spec.from === undefined ? 0 : (depths.get(spec.from) ?? 0)
    const sandbox = await good.create(spec)
    return {
      ...plain(sandbox),
      async snapshot() {
        if (depth >= sandboxLimits.snapshotDepth) throw new Error("Too many layers")
        const id = await sandbox.snapshot()
        depth += 1
        depths.set(id, depth)
        return id
      },
    }
  })
}

function takesAlong(host: Host, good: Sandbox): Sandbox {
  const own: string[] = []
  return {
    ...plain(good),
    async snapshot() {
      const id = await good.snapshot()
      own.push(id)
      return id
    },
    async destroy() {
      await good.destroy()
      for (const id of own.splice(0)) await host.removeSnapshot(id)
    },
  }
}
