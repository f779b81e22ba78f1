import type { Operation, OperationControl } from "../../host/operation.ts"
import type { AgentScope } from "../commands/run-command.ts"
import { inside } from "./file-operations.ts"

/** Directories made, removed, moved and copied: each is one short script inside the sandbox. */

type Of<Kind extends Operation["kind"]> = Extract<Operation, { kind: Kind }>

export async function makeDirectory(
  { path, mode }: Of<"file.mkdir">,
  control: OperationControl,
  scope: AgentScope,
): Promise<null> {
  const permissions = mode === null ? "" : `-m ${mode.toString(8)} `
  const script = `[[ ! -e $1 || -d $1 ]] || { echo "File exists" >&2; exit 1; }
exec mkdir -p ${permissions}-- "$1"`
  await inside(script, { path, control, scope })
  return null
}

export async function removeFile(
  { path, recursive }: Of<"file.remove">,
  control: OperationControl,
  scope: AgentScope,
): Promise<null> {
  // Never with a slash at the end: a link to a directory is removed and not followed.
  const script = recursive
    ? `[[ -e $1 || -L $1 ]] || { echo "No such file or directory" >&2; exit 1; }
exec rm -rf -- "$1"`
    : `if [[ -d $1 && ! -L $1 ]]; then exec rmdir -- "$1"; else exec rm -- "$1" </dev/null; fi`
  await inside(script, { path, control, scope })
  return null
}

const prepareTarget = `[[ -e $1 || -L $1 ]] || { echo "No such file or directory" >&2; exit 1; }
[[ ! -d $2 || -L $2 ]] || { echo "Is a directory" >&2; exit 1; }
parent=$(dirname -- "$2"; echo .); parent=\${parent%$'\\n.'}
[[ -d $parent ]] || mkdir -p -- "$parent" || exit 1
if [[ -d $1 && ! -L $1 && -e $2 ]]; then echo "Not a directory" >&2; exit 1; fi`

export async function renameFile(
  { path, to }: Of<"file.rename">,
  control: OperationControl,
  scope: AgentScope,
): Promise<null> {
  const script = `${prepareTarget}\nexec mv -fT -- "$1" "$2"`
  await inside(script, { path, to, control, scope })
  return null
}

export async function copyFile(
  { path, to }: Of<"file.copy">,
  control: OperationControl,
  scope: AgentScope,
): Promise<null> {
  // Into a name of its own first, so that half a copy never stands where a whole one is expected.
  const script = `${prepareTarget}
new=$parent/.toolkeep-$RANDOM$RANDOM$RANDOM
trap 'trap "" TERM; exit 143' TERM
trap 'rm -rf -- "$new"' EXIT
cp -aT -- "$1" "$new" && mv -fT -- "$new" "$2"`
  await inside(script, { path, to, control, scope })
  return null
}
