import { isInside, resolvePath, ToolFailure } from "../../contract/index.ts"
import type { OpenSandbox } from "../workspace/create-workspace.ts"
import { meterArchive } from "./meter-archive.ts"
import { sharesPipes, type TreeMove, throughPipe } from "./through-pipe.ts"

const onOutput = () => {}

/** A path in a sandbox of any host; a relative one starts at its home. */
export interface SandboxPath {
  readonly sandbox: OpenSandbox
  readonly path: string
}

export interface Transferred {
  /** What was in the files. */
  readonly bytes: number
}

/**
 * Copies a file or a whole tree from one sandbox to another. It passes through as a stream, so its size
 * does not matter; `to` is where it is afterwards, and never a directory to put it into.
 */
export async function transfer(
  source: SandboxPath,
  target: SandboxPath,
  options: { readonly recursive?: boolean | undefined; readonly signal?: AbortSignal | undefined },
): Promise<Transferred> {
  const { recursive = false, signal = new AbortController().signal } = options
  const [from, to] = [absolute(source), absolute(target)]
  const { type } = await from.sandbox.perform<"file.stat">(
    { kind: "file.stat", path: from.path },
    { signal, onOutput },
  )
  if (type === "directory" && !recursive) throw needsRecursive(source.path)
  if (type === "directory") refuseItself(from, to)
  const as = type === "directory" ? "directory" : "file"
  const move = { from, to, as, signal } as const
  return { bytes: await (sharesPipes(move) ? throughPipe(move) : throughStream(move)) }
}

async function throughStream({ from, to, as, signal }: TreeMove): Promise<number> {
  const stop = new AbortController()
  const either = AbortSignal.any([signal, stop.signal])
  try {
    const archive = await from.sandbox.perform<"tree.export">(
      { kind: "tree.export", path: from.path },
      { signal: either, onOutput },
    )
    const meter = meterArchive()
    await to.sandbox.perform<"tree.import">(
      { kind: "tree.import", path: to.path, as },
      { signal: either, onOutput, input: archive.pipeThrough(meter.stream) },
    )
    return meter.bytes()
  } finally {
    // The one of the two that is left when the other has failed.
    stop.abort()
  }
}

function absolute({ sandbox, path }: SandboxPath): SandboxPath {
  return { sandbox, path: resolvePath(sandbox.home, path) }
}

function needsRecursive(path: string): ToolFailure {
  return new ToolFailure({
    kind: "invalid_args",
    message: `${JSON.stringify(path)} is a directory; it is transferred with recursive: true.`,
    field: "recursive",
  })
}

function refuseItself(from: SandboxPath, to: SandboxPath): void {
  const isSame = from.sandbox === to.sandbox
  if (!isSame || !isInside(from.path, to.path)) return
  throw new ToolFailure({
    kind: "invalid_args",
    message: `${JSON.stringify(to.path)} is inside ${JSON.stringify(from.path)}: a directory can't be copied into itself.`,
    field: "to_path",
  })
}
