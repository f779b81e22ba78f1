import type {
  CommandOutcome,
  Host,
  Operation,
  OperationControl,
  OperationResults,
  Sandbox,
} from "../../../src/sandbox/index.ts"

/** A host with one flaw, and the checks that must notice it. */
export interface BrokenHost {
  readonly flaw: string
  readonly caughtBy: readonly string[]
  /** It gives no answer where a good host does, so the checks end at their deadline. */
  readonly hangs?: boolean
  /** Which good host it is made of: where a flaw is about sleep, ports or snapshots, one that has them. */
  readonly base?: "local" | "bubblewrap"
  breakHost(good: Host): Host
}

type Handler<Kind extends Operation["kind"]> = (
  operation: Extract<Operation, { kind: Kind }>,
  control: OperationControl,
  good: Sandbox,
) => Promise<OperationResults[Kind]>

/** What a flawed sandbox does instead; the other operations are the good sandbox's. */
export type Handlers = { readonly [Kind in Operation["kind"]]?: Handler<Kind> }

/** `handlersFor` is called once for each sandbox, so that a flaw may have a memory. */
export function alterSandboxes(host: Host, handlersFor: (good: Sandbox) => Handlers): Host {
  return replaceSandboxes(host, (good) => {
    const handlers = handlersFor(good)
    return {
      ...plain(good),
      perform<Kind extends Operation["kind"]>(
        operation: Extract<Operation, { kind: Kind }>,
        control: OperationControl,
      ) {
        const handler = handlers[operation.kind] as Handler<Kind> | undefined
        return handler ? handler(operation, control, good) : good.perform<Kind>(operation, control)
      },
    }
  })
}

export function replaceSandboxes(host: Host, replace: (good: Sandbox) => Sandbox): Host {
  return {
    name: host.name,
    can: host.can,
    summary: host.summary,
    probe: () => host.probe(),
    images: () => host.images(),
    removeSnapshot: (id) => host.removeSnapshot(id),
    create: async (spec) => replace(await host.create(spec)),
  }
}

/** The same sandbox as an object whose parts can be replaced. */
export function plain(good: Sandbox): Sandbox {
  const { checkpoint } = good
  return {
    name: good.name,
    image: good.image,
    can: good.can,
    home: good.home,
    roots: good.roots,
    perform: (operation, control) => good.perform(operation, control),
    sleep: () => good.sleep(),
    setNetwork: (network) => good.setNetwork(network),
    snapshot: () => good.snapshot(),
    ...(checkpoint && { checkpoint: () => checkpoint.call(good) }),
    destroy: () => good.destroy(),
  }
}

/** What a flawed sandbox does by a script of its own, with the paths as its arguments. */
export function runScript(
  good: Sandbox,
  control: OperationControl,
  [script, ...paths]: readonly [string, ...string[]],
): Promise<CommandOutcome> {
  return good.perform<"command.run">(
    {
      kind: "command.run",
      command: ["bash", "-c", script, "bash", ...paths],
      cwd: good.home,
      env: {},
      stdin: new Uint8Array(),
      timeoutMs: null,
      idleTimeoutMs: null,
      maxOutputBytes: 10_000,
    },
    control,
  )
}

/** Survives its first destroy; the second one keeps the tests from leaving anything behind. */
export function destroyedLate(good: Sandbox): Sandbox {
  let asked = false
  return {
    ...plain(good),
    async destroy() {
      if (asked) await good.destroy()
      asked = true
    },
  }
}
