import type { DirectoryEntry, FileStat, FileType } from "../../contract/index.ts"
import { createId } from "../../kit/index.ts"
import type { FileRead, FileWrite, OperationControl } from "../host/operation.ts"
import type { SandboxApi } from "./adapt-sandbox.ts"
import { runScript } from "./change-files.ts"

/** Files of a foreign sandbox: by its own functions, and by commands where it has none. */

export async function readFile(
  api: SandboxApi,
  { path, offset, length }: Omit<FileRead, "kind">,
  control: OperationControl,
): Promise<Uint8Array> {
  if (api.readFile) {
    const bytes = toBytes(await api.readFile(path))
    return bytes.subarray(offset, length === null ? undefined : offset + length)
  }
  const end = length === null ? "" : ` | head -c ${length}`
  const script = `[ -r "$1" ] || { echo "Permission denied" >&2; exit 1; }
tail -c +${offset + 1} <"$1"${end} | base64`
  // As text, because that is all that a foreign command is known to print.
  return Buffer.from(await runScript(api, script, { paths: [path], control }), "base64")
}

export async function writeFile(
  api: SandboxApi,
  { path, data, append }: Pick<FileWrite, "path" | "data" | "append">,
  control: OperationControl,
): Promise<void> {
  if (api.writeFile) return api.writeFile(path, data, { append })
  if (api.takesInput) {
    const script = `[ -d "\${1%/*}/" ] || mkdir -p -- "\${1%/*}/" || exit 1
${append ? 'cat >>"$1"' : replaceFile(`.toolkeep-${createId("write")}`)}`
    await runScript(api, script, { paths: [path], control, stdin: data })
    return
  }
  for (let start = 0; start === 0 || start < data.length; start += pieceBytes) {
    const piece = Buffer.from(data.subarray(start, start + pieceBytes)).toString("base64")
    const script = `[ -d "\${1%/*}/" ] || mkdir -p -- "\${1%/*}/" || exit 1
printf %s '${piece}' | base64 -d ${append || start > 0 ? ">>" : ">"}"$1"`
    await runScript(api, script, { paths: [path], control })
  }
}

/** Readers see the old file or the new one. One that is there keeps its mode, and links lead to it as before. */
const replaceFile = (unfinished: string) => `t=$1
[ ! -L "$1" ] || t=$(readlink -f -- "$1") || exit 1
if [ -e "$t" ] && [ ! -f "$t" ]; then cat >"$t"; exit; fi
[ ! -e "$t" ] || [ -w "$t" ] || { echo "Permission denied" >&2; exit 1; }
new="\${t%/*}/${unfinished}"
trap 'rm -f -- "$new"; exit 143' HUP INT TERM
cat >"$new" || { rm -f -- "$new"; exit 1; }
[ ! -e "$t" ] || chmod "$(stat -L -c %a -- "$t" 2>/dev/null || stat -L -f %Lp -- "$t")" "$new"
mv -f -- "$new" "$t" || { rm -f -- "$new"; exit 1; }`

/**
 * What is written goes into the command, because many services pass no input to one, and an argument of Linux has at
 * most 128 KiB.
 */
const pieceBytes = 72 * 1024

/** Null for a path that does not exist. The two kinds of stat are GNU's and BSD's. */
export async function statFile(
  api: SandboxApi,
  path: string,
  control: OperationControl,
): Promise<FileStat | null> {
  if (api.stat) return api.stat(path)
  const script = `if [ -d "$1" ]; then type=directory; elif [ -f "$1" ]; then type=file
elif [ -e "$1" ]; then type=other
else why=$(ls -dL -- "$1" 2>&1) && exit 0; case $why in *"No such file"*) exit 0 ;; esac; printf '%s\\n' "$why" >&2; exit 1; fi
size=0; [ $type != file ] || size=$(wc -c <"$1")
echo $type $size $(stat -L -c '%Y %a' -- "$1" 2>/dev/null || stat -L -f '%m %Lp' -- "$1")`
  const said = (await runScript(api, script, { paths: [path], control })).trim()
  if (said === "") return null
  const [type, size, modified, mode = "0"] = said.split(/\s+/)
  return {
    type: type as FileStat["type"],
    size: Number(size),
    modifiedMs: Number(modified) * 1000,
    mode: Number.parseInt(mode, 8),
  }
}

const types: Readonly<Record<string, FileType>> = { f: "file", d: "directory", l: "symlink" }

export async function listDirectory(
  api: SandboxApi,
  path: string,
  control: OperationControl,
): Promise<readonly DirectoryEntry[]> {
  if (api.readdir) return api.readdir(path)
  const script = `cd "$1" || exit 1
for f in * .*; do
  case $f in .|..) continue ;; esac
  if [ -L "$f" ]; then printf l; elif [ -d "$f" ]; then printf d; elif [ -f "$f" ]; then printf f
  elif [ -e "$f" ]; then printf o; else continue; fi
  printf '%s\\0' "$f"
done`
  const said = await runScript(api, script, { paths: [path], control })
  const entries = said.split("\0").slice(0, -1)
  return entries.map((one) => ({ name: one.slice(1), type: types[one.charAt(0)] ?? "other" }))
}

export function toBytes(data: string | Uint8Array): Uint8Array {
  return typeof data === "string" ? new TextEncoder().encode(data) : data
}
