import { createId } from "../../../src/kit/index.ts"
import {
  createWorkspace,
  type Host,
  type Sandbox,
  type SandboxCheckpoint,
  type SandboxSpec,
} from "../../../src/sandbox/index.ts"
import { type BrokenHost, plain, replaceSandboxes } from "./broken-host.ts"

/** Those below it have none. */
const base = "bubblewrap"

/** Hosts whose checkpoints are not what they say. */
export const flawedCheckpoints: readonly BrokenHost[] = [
  {
    flaw: "makes every sandbox empty, whatever checkpoint it is to be made of",
    caughtBy: ["checkpoints.content", "checkpoints.restored", "checkpoints.odd"],
    base,
    breakHost: (good) => altered(good, ({ from, ...spec }) => good.create(spec)),
  },
  {
    flaw: "ends every process for a checkpoint",
    caughtBy: ["checkpoints.goes-on"],
    base,
    breakHost: (good) =>
      recordedBy(good, async (sandbox) => {
        const id = await sandbox.snapshot()
        return { id, incomplete: [], isQuiet: true }
      }),
  },
  {
    flaw: "takes a checkpoint when it is first used",
    caughtBy: ["checkpoints.source-goes-on"],
    base,
    breakHost: recordedLate,
  },
  {
    flaw: "makes one sandbox of a checkpoint for all who ask",
    caughtBy: ["checkpoints.fork-goes-on"],
    base,
    breakHost: oneForAll,
  },
  {
    flaw: "takes what was recorded first for what is there now",
    caughtBy: ["checkpoints.again", "checkpoints.removed"],
    base,
    breakHost: recordedOnce,
  },
  {
    flaw: "waits for what comes out of a pipe",
    caughtBy: ["checkpoints.odd"],
    hangs: true,
    base,
    breakHost: (good) =>
      recordedBy(good, async (sandbox) => {
        await createWorkspace(sandbox).exec("find . -type p -exec cat {} +")
        return taken(sandbox)
      }),
  },
  {
    flaw: "removes checkpoints with the sandbox that they are of",
    caughtBy: ["checkpoints.outlives-source"],
    base,
    breakHost: (good) => replaceSandboxes(good, (sandbox) => takesAlong(good, sandbox)),
  },
  {
    flaw: "makes an empty sandbox of a checkpoint that is not there",
    caughtBy: ["checkpoints.unknown"],
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

async function taken(sandbox: Sandbox): Promise<SandboxCheckpoint> {
  if (!sandbox.checkpoint) throw new Error("The good host has no checkpoints.")
  return sandbox.checkpoint()
}

function recordedBy(
  good: Host,
  checkpoint: (sandbox: Sandbox) => Promise<SandboxCheckpoint>,
): Host {
  return replaceSandboxes(good, (sandbox) => ({
    ...plain(sandbox),
    checkpoint: () => checkpoint(sandbox),
  }))
}

function recordedLate(good: Host): Host {
  const late = new Map<string, () => Promise<SandboxCheckpoint>>()
  return {
    ...altered(good, async (spec) => {
      const from = spec.from === undefined ? undefined : (await late.get(spec.from)?.())?.id
      const sandbox = await good.create({ ...spec, from })
      return {
        ...plain(sandbox),
        async checkpoint() {
          const id = createId("late")
          late.set(id, () => taken(sandbox))
          return { id, incomplete: [], isQuiet: true }
        },
      }
    }),
    removeSnapshot: async () => {},
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

function recordedOnce(good: Host): Host {
  const first = new Map<Sandbox, Promise<SandboxCheckpoint>>()
  const removed = new Set<string>()
  const host = recordedBy(good, (sandbox) => {
    const known = first.get(sandbox) ?? taken(sandbox)
    first.set(sandbox, known)
    return known
  })
  return {
    ...host,
    async removeSnapshot(id) {
      if (!removed.has(id)) await good.removeSnapshot(id)
      removed.add(id)
    },
  }
}

function takesAlong(host: Host, good: Sandbox): Sandbox {
  const own: string[] = []
  return {
    ...plain(good),
    async checkpoint() {
      const made = await taken(good)
      own.push(made.id)
      return made
    },
    async destroy() {
      await good.destroy()
      for (const id of own.splice(0)) await host.removeSnapshot(id)
    },
  }
}
