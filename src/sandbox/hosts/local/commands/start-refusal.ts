import { access, constants, stat } from "node:fs/promises"
import { ToolFailure } from "../../../../contract/index.ts"
import { WorkspaceError } from "../../../host/workspace-error.ts"
import { errnoOf, fileError } from "../file-error.ts"

/** The system would not start the program: what a shell answers in its place. */
export interface StartRefusal {
  readonly kind: "refused"
  readonly exitCode: 126 | 127
  readonly message: string
}

const refusals: Readonly<Record<string, Omit<StartRefusal, "kind">>> = {
  ENOENT: { exitCode: 127, message: "command not found" },
  ENOTDIR: { exitCode: 127, message: "not found: part of its path is not a directory" },
  EACCES: { exitCode: 126, message: "permission denied: not an executable file" },
  EPERM: { exitCode: 126, message: "operation not permitted" },
  EISDIR: { exitCode: 126, message: "is a directory" },
  ENOEXEC: { exitCode: 126, message: "not a program that this system can run" },
  E2BIG: { exitCode: 126, message: "the arguments and the environment are too long" },
  ENAMETOOLONG: { exitCode: 126, message: "file name too long" },
  ELOOP: { exitCode: 126, message: "too many levels of symbolic links" },
  ETXTBSY: { exitCode: 126, message: "the file is being written to" },
}

/** Throws when the fault lies elsewhere: the directory, or this machine. */
export async function startRefusal(
  error: unknown,
  program: string,
  cwd: string,
): Promise<StartRefusal> {
  if (error instanceof ToolFailure) throw error
  await requireDirectory(cwd)
  const errno = errnoOf(error) ?? ""
  const refusal = refusals[errno]
  if (refusal) return { kind: "refused", ...refusal, message: `${program}: ${refusal.message}\n` }
  throw new ToolFailure(
    {
      kind: "execution_error",
      message: `The command could not be started${errno && ` (${errno})`}: this machine may be out of processes, memory or open files.`,
    },
    { cause: error },
  )
}

/** The system says the same of a missing directory as of a missing program. */
async function requireDirectory(cwd: string): Promise<void> {
  try {
    if (!(await stat(cwd)).isDirectory()) throw new WorkspaceError("not-directory", cwd)
    await access(cwd, constants.X_OK)
  } catch (error) {
    throw fileError(error, cwd)
  }
}
