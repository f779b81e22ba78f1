import type { Session } from "../../session/index.ts"
import type { Async, Input } from "../graph/types.ts"
import { labelOf, parseData, readWhole, resultOf } from "./call-session.ts"
import { addStep } from "./instance.ts"
import type { RunControl } from "./runs.ts"
import type { StepKind } from "./wanted.ts"

export interface ReadFileParams {
  /** The name of a sandbox, such as `sb.name`. */
  readonly sandbox: string
  readonly path: string
  /** "text" when absent. */
  readonly mode?: "text" | "json" | undefined
  readonly when?: boolean | undefined
}

export interface WriteFileParams {
  readonly sandbox: string
  readonly path: string
  readonly content: string
  readonly when?: boolean | undefined
}

/** A file of a sandbox, as text or as JSON. It is read again when its inputs change, and by `refresh()`. */
// biome-ignore lint/suspicious/noExplicitAny: nobody knows what a file has, as with JSON.parse.
export function readSandboxFile<T = any>(params: Input<ReadFileParams>): Async<T> {
  return addStep("readSandboxFile", params, ({ session }) => readKind("readSandboxFile", session))
}

/** Writes a file of a sandbox, again when its inputs change. */
export function writeSandboxFile(params: Input<WriteFileParams>): Async<{ readonly ok: true }> {
  return addStep("writeSandboxFile", params, ({ session }) =>
    writeKind("writeSandboxFile", session),
  )
}

type Prepare<Params> = (params: Params, control: RunControl) => Promise<unknown>

const nothing = async () => {}

export function readKind<Params extends ReadFileParams>(
  name: string,
  session: Session,
  prepare: Prepare<Params> = nothing,
): StepKind<Params> {
  return {
    name,
    required: ["sandbox", "path"],
    optional: ["mode"],
    isShared: false,
    label: ({ path }) => labelOf(String(path)),
    async run(params, control) {
      await prepare(params, control)
      const { sandbox, path, mode = "text" } = params
      const text = await readWhole(session, { sandbox, path, signal: control.signal })
      return mode === "json" ? parseData(text, JSON.stringify(path)) : text
    },
  }
}

export function writeKind<Params extends WriteFileParams>(
  name: string,
  session: Session,
): StepKind<Params> {
  return {
    name,
    required: ["sandbox", "path", "content"],
    optional: [],
    isShared: false,
    label: ({ path }) => labelOf(String(path)),
    async run({ sandbox, path, content }, { signal }) {
      await resultOf(session.call("file.write", { sandbox, path, content }, { signal }))
      return { ok: true }
    },
  }
}
