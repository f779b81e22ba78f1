import type {
  Host,
  Operation,
  OperationControl,
  OperationResults,
  Sandbox,
} from "../../../src/sandbox/index.ts"
import { type BrokenHost, destroyedLate, plain, replaceSandboxes } from "./broken-host.ts"

/** Hosts whose sandboxes live, share or wait wrongly. */
export const flawedLives: readonly BrokenHost[] = [
  {
    flaw: "does one thing after another",
    caughtBy: ["concurrency.twenty", "concurrency.files-beside-command"],
    hangs: true,
    breakHost: (good) => replaceSandboxes(good, oneAfterAnother),
  },
  {
    flaw: "mixes up the results of commands at the same time",
    caughtBy: ["concurrency.own-output", "stdin.own"],
    breakHost: (good) => replaceSandboxes(good, mixedUp),
  },
  {
    flaw: "has one directory for all sandboxes",
    caughtBy: ["sandbox-life.separate"],
    breakHost: (good) => ({
      ...good,
      can: good.can,
      create: () => good.create({ name: "shared" }),
    }),
  },
  {
    flaw: "says that it is unavailable",
    caughtBy: ["sandbox-life.ready"],
    breakHost: (good) => ({
      ...good,
      can: good.can,
      probe: async () => ({ kind: "unavailable", reason: "Nobody knows.", remedy: "None." }),
    }),
  },
  {
    flaw: "declares what its sandboxes do not have",
    caughtBy: ["sandbox-life.declared"],
    breakHost: (good) => ({ ...good, can: { ...good.can, networks: ["none"] } }),
  },
  {
    flaw: "claims an isolation that it does not have",
    caughtBy: ["links.outside-directory"],
    breakHost: (good) => ({ ...good, can: { ...good.can, isolation: "namespaces" } }),
  },
  {
    flaw: "has its home outside its roots",
    caughtBy: ["sandbox-life.home"],
    breakHost: (good) =>
      replaceSandboxes(good, (sandbox) => ({ ...plain(sandbox), roots: ["/srv/other"] })),
  },
  {
    flaw: "destroys all sandboxes together",
    caughtBy: ["sandbox-life.destroy-one"],
    breakHost: destroyedTogether,
  },
  {
    flaw: "fails when it is destroyed twice",
    caughtBy: ["sandbox-life.destroy-twice"],
    breakHost: (good) => replaceSandboxes(good, destroyedOnce),
  },
  {
    flaw: "never answers what runs while it is destroyed",
    caughtBy: ["sandbox-life.destroy-answers"],
    hangs: true,
    breakHost: (good) => replaceSandboxes(good, silentAtTheEnd),
  },
  {
    flaw: "lives on when it is destroyed",
    caughtBy: ["sandbox-life.after-destroy"],
    breakHost: (good) => replaceSandboxes(good, destroyedLate),
  },
]

function oneAfterAnother(good: Sandbox): Sandbox {
  let last: Promise<unknown> = Promise.resolve()
  return {
    ...plain(good),
    perform(operation, control) {
      const work = last.then(() => good.perform(operation, control))
      last = work.catch(() => {})
      return work
    },
  }
}

/** Whoever asks second gets the first one's answer. */
function mixedUp(good: Sandbox): Sandbox {
  let waiting: Promise<unknown> | undefined
  return {
    ...plain(good),
    async perform<Kind extends Operation["kind"]>(
      operation: Extract<Operation, { kind: Kind }>,
      control: OperationControl,
    ) {
      const before = waiting
      const work = good.perform<Kind>(operation, control)
      waiting = work
      const answer = (before && operation.kind === "command.run" ? before : work) as typeof work
      await work
      waiting = undefined
      return answer
    },
  }
}

function destroyedTogether(good: Host): Host {
  const all: Sandbox[] = []
  return replaceSandboxes(good, (sandbox) => {
    all.push(sandbox)
    const destroy = async () => void (await Promise.all(all.map((one) => one.destroy())))
    return { ...plain(sandbox), destroy }
  })
}

function destroyedOnce(good: Sandbox): Sandbox {
  let destroyed = false
  return {
    ...plain(good),
    async destroy() {
      if (destroyed) throw new Error("No such sandbox")
      destroyed = true
      await good.destroy()
    },
  }
}

function silentAtTheEnd(good: Sandbox): Sandbox {
  let destroyed = false
  return {
    ...plain(good),
    async perform<Kind extends Operation["kind"]>(
      operation: Extract<Operation, { kind: Kind }>,
      control: OperationControl,
    ): Promise<OperationResults[Kind]> {
      const [outcome] = await Promise.allSettled([good.perform<Kind>(operation, control)])
      if (destroyed) return new Promise(() => {})
      if (outcome.status === "rejected") throw outcome.reason
      return outcome.value
    },
    async destroy() {
      destroyed = true
      await good.destroy()
    },
  }
}
