import { isInside, resolvePath, ToolFailure, type Workspace } from "../../contract/index.ts"
import { meterArchive } from "./meter-archive.ts"

/** A path in a sandbox of any host. */
export interface Place {
  readonly workspace: Workspace
  readonly path: string
}

export interface Transferred {
  /** What was in the files. */
  readonly bytes: number
}

/**
 * Copies a file or a whole tree from one sandbox to another. It passes through this process as a stream,
 * so its size does not matter; `to` is where it is afterwards, and never a directory to put it into.
 */
export async function transfer(
  from: Place,
  to: Place,
  options: { readonly recursive?: boolean | undefined; readonly signal?: AbortSignal | undefined },
): Promise<Transferred> {
  const { recursive = false, signal } = options
  const { type } = await from.workspace.stat(from.path, { signal })
  if (type === "directory" && !recursive) throw needsRecursive(from.path)
  if (type === "directory") refuseItself(from, to)
  const stop = new AbortController()
  const either = signal ? AbortSignal.any([signal, stop.signal]) : stop.signal
  try {
    const archive = await from.workspace.exportTree(from.path, { signal: either })
    const meter = meterArchive()
    await to.workspace.importTree(to.path, archive.pipeThrough(meter.stream), {
      signal: either,
      as: type === "directory" ? "directory" : "file",
    })
    return { bytes: meter.bytes() }
  } finally {
    // Whoever of the two is left when the other has failed.
    stop.abort()
  }
}

function needsRecursive(path: string): ToolFailure {
  return new ToolFailure({
    kind: "invalid_args",
    message: `${JSON.stringify(path)} is a directory; it is transferred with recursive: true.`,
    field: "recursive",
  })
}

function refuseItself(from: Place, to: Place): void {
  if (from.workspace.name !== to.workspace.name || from.workspace.can !== to.workspace.can) return
  const source = resolvePath(from.workspace.cwd, from.path)
  if (!isInside(source, resolvePath(to.workspace.cwd, to.path))) return
  throw new ToolFailure({
    kind: "invalid_args",
    message: `${JSON.stringify(to.path)} is inside ${JSON.stringify(from.path)}: a directory can't be copied into itself.`,
    field: "to_path",
  })
}
