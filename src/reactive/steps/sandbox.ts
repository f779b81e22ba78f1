import { Computed, type Signal, signal } from "@preact/signals-core"
import { RefNode } from "../graph/ref.ts"
import type { Async, Input } from "../graph/types.ts"
import { labelOf, resultOf } from "./call-session.ts"
import { commandText, removeSandbox } from "./exec.ts"
import { addStep, askedFor, type Instance, imageOf, type SandboxPlace } from "./instance.ts"
import { type AsyncExec, type CommandParams, type ExecResult, runCommands } from "./run-commands.ts"
import type { RunControl } from "./runs.ts"
import { type ReadFileParams, readKind, type WriteFileParams, writeKind } from "./sandbox-files.ts"
import { SandboxMaker, type SandboxTools, sandboxTools } from "./sandbox-tools.ts"

/** A sandbox that stays while the pattern runs. It is made on first use. */
export interface SandboxHandle {
  /** "sleeping" also before its first use. */
  readonly status: SandboxState
  readonly name: string
  exec(command: Input<string | readonly string[]>): AsyncExec
  readFile(path: Input<string>): Async<string>
  writeFile(path: Input<string>, content: Input<string>): Async<{ readonly ok: true }>
  /** shell, read_file, write_file, glob and browse in this sandbox, for `generateText`. */
  tools(): SandboxTools
}

type SandboxState = "running" | "sleeping" | "destroyed"

export interface SandboxParams {
  /** When absent, "node:22" if the host has it, else the host's default. Another image is another sandbox, without the files of the one before. */
  readonly image?: string | undefined
}

export function sandbox(params: Input<SandboxParams> = {}): SandboxHandle {
  const { scope, place } = askedFor("sandbox")
  if (place === null) {
    throw new Error("sandbox can't be called in a handler: call it in the body of the pattern.")
  }
  const { instance } = scope
  const made = new SandboxNode(instance, instance.sandboxName(), params)
  // Its status is read as a property of a reference.
  return made as unknown as SandboxHandle
}

/** What every step in it has, so that another image is another content. */
interface InSandbox {
  readonly sandbox: string
  readonly of?: SandboxParams | undefined
}

class SandboxNode extends RefNode {
  readonly name: string
  readonly #instance: Instance
  readonly #params: Input<SandboxParams>
  readonly #status: Signal<SandboxState>
  readonly #place: SandboxPlace

  constructor(instance: Instance, name: string, params: Input<SandboxParams>) {
    const place = instance.sandboxPlace(name)
    const status = signal<SandboxState>(place.image === null ? "sleeping" : "running")
    super(new Computed(() => ({ status: status.value, name })))
    this.#instance = instance
    this.#place = place
    place.users += 1
    this.name = name
    this.#params = params
    this.#status = status
    const stop = instance.session.listen((event) => {
      if (!("sandbox" in event) || event.sandbox !== name) return
      const next = statusAfter(event.kind)
      if (next) status.value = next
    })
    instance.onDispose(async () => {
      stop()
      place.users -= 1
      await place.before
      if (place.users > 0) return
      if (place.image !== null) await removeSandbox(instance.session, name)
      place.image = null
      status.value = "destroyed"
    })
  }

  exec(command: Input<string | readonly string[]>): AsyncExec {
    return addStep<CommandParams & InSandbox, ExecResult, AsyncExec>(
      "sandbox.exec",
      { ...this.#where(), command },
      ({ session }) => ({
        name: "sandbox.exec",
        required: ["command"],
        optional: ["sandbox", "of"],
        isShared: false,
        label: (params) => labelOf(commandText(params.command)),
        run: async (params, control) => {
          await this.#ready(params, control)
          return runCommands(params, { session, sandbox: this.name, control })
        },
      }),
    )
  }

  readFile(path: Input<string>): Async<string> {
    return addStep("sandbox.readFile", { ...this.#where(), path }, ({ session }) => ({
      ...readKind<ReadFileParams & InSandbox>("sandbox.readFile", session, (params, control) =>
        this.#ready(params, control),
      ),
      optional: ["of"],
    }))
  }

  writeFile(path: Input<string>, content: Input<string>): Async<{ readonly ok: true }> {
    return addStep("sandbox.writeFile", { ...this.#where(), path, content }, ({ session }) => {
      const kind = writeKind<WriteFileParams & InSandbox>("sandbox.writeFile", session)
      const run: typeof kind.run = (params, control) =>
        this.#after(async () => {
          await this.#ensure(params.of?.image, control.signal)
          return kind.run(params, control)
        })
      return { ...kind, optional: ["of"], run }
    })
  }

  tools(): SandboxTools {
    const maker = new SandboxMaker((image, signal) =>
      this.#after(() => this.#ensure(image, signal)),
    )
    return sandboxTools({ sandbox: this.name, of: this.#params, maker })
  }

  #where() {
    return { sandbox: this.name, of: this.#params }
  }

  /** The sandbox of the image that the step names, after what was asked for before. */
  #ready({ of }: InSandbox, { signal }: RunControl): Promise<void> {
    return this.#after(() => this.#ensure(of?.image, signal))
  }

  #after<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#place.before.then(work)
    this.#place.before = done.catch(() => {})
    return done
  }

  async #ensure(named: string | undefined, signal: AbortSignal): Promise<void> {
    const image = await imageOf(this.#instance, named)
    signal.throwIfAborted()
    if (this.#place.image === image) return
    const { session } = this.#instance
    if (this.#place.image !== null) await removeSandbox(session, this.name)
    this.#place.image = null
    await resultOf(session.call("sandbox.create", { sandbox: this.name, image }, { signal }))
    this.#place.image = image
    this.#status.value = "running"
  }
}

function statusAfter(kind: string): SandboxState | undefined {
  switch (kind) {
    case "sandbox-created":
    case "sandbox-found":
    case "sandbox-woke":
      return "running"
    case "sandbox-slept":
      return "sleeping"
    case "sandbox-destroyed":
      return "destroyed"
    default:
      return undefined
  }
}
