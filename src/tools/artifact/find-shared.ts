import {
  type CallContext,
  checkPath,
  type FileStat,
  isInside,
  machineProblem,
  resolvePath,
  ToolFailure,
  type Workspace,
} from "../../contract/index.ts"
import { WorkspaceError } from "../../sandbox/index.ts"
import { invalidArgument } from "../arguments.ts"

/** Where programs put what they make, below a home. */
const outputDirectories = ["output", "outputs", "dist", "build", "out", "public", "artifacts"]

export interface SharedFile {
  readonly path: string
  readonly stat: FileStat
}

/** Every path that a call may share: the one that is given and, below where paths start, those that are tried after it. */
export function sharedPaths(path: string): readonly string[] {
  const below = resolvePath("/", path).slice(1)
  if (path.startsWith("/") || below === "") return [path]
  const others = outputDirectories.filter((directory) => !isInside(directory, below))
  return [path, ...others.map((directory) => `${directory}/${path}`)]
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
  const candidates = sharedPaths(path).map((one) => resolvePath(workspace.cwd, one))
  for (const candidate of candidates) {
    const stat = await statIfThere(candidate, workspace, context)
    if (stat) return { path: candidate, stat }
  }
  throw new ToolFailure({
    kind: "execution_error",
    message: `There is no such file. Tried: ${candidates.join(", ")}. Find it with file.glob, then share that path.`,
  })
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
  return invalidArgument(
    "path",
    `${reason} Only what lies in ${roots} can be shared; file.glob lists what is there.`,
    `a path within ${roots}, such as "output/report.pdf"`,
  )
}

/** The reason is the file system's own, where it gave one. */
export function copyFailed(path: string, error: unknown): ToolFailure {
  const reason = machineProblem(error) ?? withoutPlace(error)
  return new ToolFailure(
    { kind: "execution_error", message: `Could not copy ${JSON.stringify(path)}: ${reason}` },
    { cause: error },
  )
}

/** A system error's own words end with a path of this machine: "EACCES: permission denied, open '/home/…'". */
function withoutPlace(error: unknown): string {
  const said = error instanceof Error ? error.message.trim() : String(error)
  const isSystem = error instanceof Error && "syscall" in error && "path" in error
  return isSystem ? (said.split(", ")[0] ?? said) : said
}
