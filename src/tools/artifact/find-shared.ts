import {
  type CallContext,
  checkPath,
  type FileStat,
  isInside,
  machineProblem,
  ToolFailure,
  type Workspace,
} from "../../contract/index.ts"
import { WorkspaceError } from "../../sandbox/index.ts"

/** Where programs put what they make, below a home. */
const outputDirectories = ["output", "outputs", "dist", "build", "out", "public", "artifacts"]

export interface SharedFile {
  readonly path: string
  readonly stat: FileStat
}

/**
 * The file or directory that a path means: as it is given, or else in a directory where programs
 * put what they make. The failure names every path that was tried.
 */
export async function findShared(
  path: string,
  workspace: Workspace,
  context: Pick<CallContext, "signal">,
): Promise<SharedFile> {
  const verdict = checkPath(path, workspace)
  if (!verdict.ok) throw pathRejected(verdict.message, workspace)
  const candidates = candidatesFor(verdict.path, workspace)
  for (const candidate of candidates) {
    const stat = await statIfThere(candidate, workspace, context)
    if (stat) return { path: candidate, stat }
  }
  throw new ToolFailure({
    kind: "execution_error",
    message: `There is no such file. Tried: ${candidates.join(", ")}. Find it with file.glob, then share that path.`,
  })
}

function candidatesFor(resolved: string, workspace: Workspace): readonly string[] {
  const home = workspace.roots.find((root) => isInside(root, resolved)) ?? workspace.cwd
  const below = resolved.slice(home.length).replace(/^\/+/, "")
  const rest = outputDirectories
    .filter((directory) => !isInside(directory, below))
    .map((directory) => `${home.replace(/\/$/, "")}/${directory}/${below}`)
  return below === "" ? [resolved] : [resolved, ...rest]
}

async function statIfThere(
  path: string,
  workspace: Workspace,
  { signal }: Pick<CallContext, "signal">,
): Promise<FileStat | null> {
  try {
    return await workspace.stat(path, { signal })
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof WorkspaceError)) throw error
    switch (error.code) {
      case "not-found":
      case "not-directory":
      case "name-too-long":
        return null
      case "outside":
      case "link-loop":
        throw pathRejected(error.message, workspace)
      default:
        throw copyFailed(path, error)
    }
  }
}

function pathRejected(reason: string, workspace: Workspace): ToolFailure {
  const roots = workspace.roots.join(", ")
  return new ToolFailure({
    kind: "invalid_args",
    message: `${reason} Only what lies in ${roots} can be shared; file.glob lists what is there.`,
    field: "path",
    expected: `a path within ${roots}, such as "output/report.pdf"`,
  })
}

/** The reason is the file system's own, where it gave one. */
export function copyFailed(path: string, error: unknown): ToolFailure {
  const said = error instanceof Error ? error.message.trim() : String(error)
  const reason = machineProblem(error) ?? said
  return new ToolFailure(
    { kind: "execution_error", message: `Could not copy ${JSON.stringify(path)}: ${reason}` },
    { cause: error },
  )
}
