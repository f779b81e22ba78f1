import type { DirectoryEntry, FileStat, FileType } from "../../../contract/index.ts"
import { quoteArguments } from "../../../kit/index.ts"
import type { FileRead, FileWrite, OperationControl } from "../../host/operation.ts"
import { WorkspaceError, type WorkspaceErrorCode } from "../../host/workspace-error.ts"
import { sandboxLimits } from "../../limits.ts"
import type { AgentCommand } from "../commands/command-fields.ts"
import { injectedFirst } from "../commands/require-programs.ts"
import { type AgentScope, runCommand } from "../commands/run-command.ts"

/**
 * File operations as commands inside the sandbox, so that a path means there what it means here, and
 * a link planted inside leads nowhere else. Each is one short script with the path as an argument.
 */

/** The system's own words, in the C locale, for what went wrong. */
const systemWords: readonly (readonly [string, WorkspaceErrorCode])[] = [
  ["No such file or directory", "not-found"],
  ["Is a directory", "is-directory"],
  ["Not a directory", "not-directory"],
  // What making the directories above a path answers when one of them is a file.
  ["File exists", "not-directory"],
  ["Permission denied", "denied"],
  ["Operation not permitted", "denied"],
  ["Read-only file system", "denied"],
  ["No space left on device", "no-space"],
  ["Disk quota exceeded", "no-space"],
  ["File too large", "no-space"],
  // What a shell says of a program that the kernel has ended for it.
  ["File size limit exceeded", "no-space"],
  ["File name too long", "name-too-long"],
  ["Too many levels of symbolic links", "link-loop"],
  ["not a regular file", "not-file"],
  ["Directory not empty", "not-empty"],
  ["to a subdirectory of itself", "into-itself"],
  ["into itself", "into-itself"],
]

export async function readFile(
  { path, offset, length }: FileRead,
  control: OperationControl,
  scope: AgentScope,
): Promise<Uint8Array> {
  // The first part of the pipe dies of a closed pipe when the second has what it wants.
  const most = Math.min(length ?? sandboxLimits.readBytes + 1, sandboxLimits.readBytes + 1)
  const script = `${refuseOther}
[[ ! -d $1 ]] || { echo "Is a directory" >&2; exit 1; }
tail -c +${offset + 1} -- "$1" | head -c ${most}; (( PIPESTATUS[0] == 141 || PIPESTATUS[0] == 0 ))`
  return readWhole(script, { path, control, scope })
}

export async function writeFile(
  { path, data, append, mode }: FileWrite,
  control: OperationControl,
  scope: AgentScope,
): Promise<null> {
  const script = append ? appendScript(mode) : replaceScript(mode)
  await inside(script, { path, control, scope, stdin: data })
  return null
}

/**
 * A pipe or a device could be waited for without end. Asked what it is, and not what it is not: a file that comes between
 * two questions would be neither there nor missing.
 */
export const refuseOther = `[[ ! ( -p $1 || -S $1 || -b $1 || -c $1 ) ]] || { echo "not a regular file" >&2; exit 1; }`

// A name may end with a line break, which the shell would cut from what a program says.
const prepareTarget = `parent=$(dirname -- "$1"; echo .); parent=\${parent%$'\\n.'}
[[ -d $parent ]] || mkdir -p -- "$parent" || exit 1
[[ ! -d $1 ]] || { echo "Is a directory" >&2; exit 1; }
${refuseOther}
if [[ -L $1 && ! -e $1 ]]; then
  problem=$(stat -L -- "$1" 2>&1 >/dev/null)
  [[ $problem != *"Too many levels"* ]] || { echo "$problem" >&2; exit 1; }
fi`

function appendScript(mode: number | null): string {
  const permissions =
    mode === null ? "" : `[[ -e $1 ]] || install -m ${mode.toString(8)} /dev/null "$1"\n`
  return `${prepareTarget}\n${permissions}cat >>"$1"`
}

/**
 * Written beside the target and moved over it, so that a reader sees the old file or the new one. Being
 * ended comes as more than one signal; only the first may interrupt, or it would interrupt the cleaning.
 */
function replaceScript(mode: number | null): string {
  const permissions = mode === null ? "" : `chmod ${mode.toString(8)} -- "$new" &&`
  return `${prepareTarget}
target=$(realpath -m -- "$1" && echo .) || exit 1
target=\${target%$'\\n.'}
parent=$(dirname -- "$target"; echo .); new=\${parent%$'\\n.'}/.toolkeep-$BASHPID-$RANDOM$RANDOM
trap 'trap "" TERM; exit 143' TERM
trap 'rm -f -- "$new"' EXIT
( umask 077; set -C; : >"$new" ) || exit 1
cat >"$new" || exit 1
if [[ -e $target ]]; then chmod --reference="$target" -- "$new"; else ${permissions || 'chmod "$(printf %o $((0666 & ~$(umask))))" -- "$new" &&'} :; fi
mv -fT -- "$new" "$target"`
}

export async function statFile(
  { path }: { readonly path: string },
  control: OperationControl,
  scope: AgentScope,
): Promise<FileStat> {
  const { stdout } = await inside(`exec stat -L -c '%f %s %.3Y' -- "$1"`, { path, control, scope })
  const [mode = "0", size = "0", modified = "0"] = new TextDecoder()
    .decode(stdout)
    .trim()
    .split(" ")
  const bits = Number.parseInt(mode, 16)
  const type = typeOf(bits)
  return {
    type: type === "symlink" ? "other" : type,
    size: Number(size),
    modifiedMs: Math.round(Number(modified) * 1000),
    mode: bits & 0o7777,
  }
}

export async function listDirectory(
  { path, limit }: { readonly path: string; readonly limit: number },
  control: OperationControl,
  scope: AgentScope,
): Promise<readonly DirectoryEntry[]> {
  const script = `[[ -d $1 || ! -e $1 || -d $1 ]] || { echo "Not a directory" >&2; exit 1; }
exec find -H "$1/" -mindepth 1 -maxdepth 1 -printf '%y%f\\0'`
  const stdout = await readWhole(script, { path, control, scope })
  const entries = new TextDecoder().decode(stdout).split("\0").slice(0, -1)
  return entries
    .map((entry) => ({ name: entry.slice(1), type: types[entry.charAt(0)] ?? "other" }))
    .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
    .slice(0, limit)
}

const types: Readonly<Record<string, FileType>> = { f: "file", d: "directory", l: "symlink" }

function typeOf(mode: number): FileType {
  switch (mode & 0o170000) {
    case 0o100000:
      return "file"
    case 0o040000:
      return "directory"
    default:
      return "other"
  }
}

export interface Inside {
  readonly path: string
  /** A second path. */
  readonly to?: string
  readonly control: OperationControl
  readonly scope: AgentScope
  readonly stdin?: Uint8Array
  readonly maxOutputBytes?: number
}

/** A file without end would be this process's memory: what does not fit is a failure and not a part. */
async function readWhole(script: string, given: Inside): Promise<Uint8Array> {
  const most = sandboxLimits.readBytes
  const { stdout } = await inside(script, { ...given, maxOutputBytes: most + 1 })
  if (stdout.length <= most) return stdout
  throw new WorkspaceError("failed", given.path, {
    cause: new Error(`It is larger than the ${most} bytes that are read at once.`),
  })
}

export async function inside(
  script: string,
  given: Inside,
): Promise<{ readonly stdout: Uint8Array }> {
  const { path, control, scope } = given
  const { signal, input } = control
  const outcome = await runCommand(
    agentRunScript(script, given),
    { signal, input, onOutput: () => {} },
    scope,
  )
  signal.throwIfAborted()
  if (outcome.exitCode === 0) {
    const { head, tail } = outcome.stdout
    return { stdout: Buffer.concat([head, tail]) }
  }
  if (outcome.exitCode === fileTooLarge) throw new WorkspaceError("no-space", path)
  throw failureFrom(new TextDecoder().decode(outcome.stderr.head), path)
}

/** How a shell says that a program was ended for writing more than it may: by SIGXFSZ. */
const fileTooLarge = 128 + 25

/** The command that does it: a script with one or two paths as its arguments. */
export function agentRunScript(
  script: string,
  given: Pick<Inside, "path" | "to" | "stdin" | "maxOutputBytes">,
): AgentCommand {
  const { path, to, stdin = new Uint8Array(), maxOutputBytes = 65_536 } = given
  const paths = to === undefined ? [path] : [path, to]
  return {
    kind: "command.run",
    isOwnScript: true,
    command: `${injectedFirst}\nset -- ${quoteArguments(paths)}\n${script}`,
    cwd: "/",
    env: { LC_ALL: "C" },
    stdin,
    timeoutMs: null,
    idleTimeoutMs: null,
    maxOutputBytes,
  }
}

export function failureFrom(stderr: string, path: string): WorkspaceError {
  const [, code = "failed"] = systemWords.find(([words]) => stderr.includes(words)) ?? []
  return new WorkspaceError(code, path, { cause: new Error(stderr.trim()) })
}
