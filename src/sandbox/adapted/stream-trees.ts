import { createId } from "../../kit/index.ts"
import type { Operation, OperationControl, TreeImport } from "../host/operation.ts"
import { WorkspaceError } from "../host/workspace-error.ts"
import { sandboxLimits } from "../limits.ts"
import { readArchive, requireOneFile } from "../trees/read-archive.ts"
import type { SandboxApi } from "./adapt-sandbox.ts"
import { runScript } from "./change-files.ts"
import { writeFile } from "./exec-files.ts"

/**
 * Trees pass whole and as text, because all that is known of a foreign sandbox is that it runs
 * commands and answers with what they print.
 */

export async function exportTree(
  api: SandboxApi,
  { path }: Extract<Operation, { kind: "tree.export" }>,
  control: OperationControl,
): Promise<ReadableStream<Uint8Array>> {
  const most = sandboxLimits.readBytes
  const script = `[ -d "$1" ] || [ -f "$1" ] || {
  [ -e "$1" ] && echo "not a regular file" >&2 || echo "No such file or directory" >&2; exit 1
}
archive=\${TMPDIR:-/tmp}/.toolkeep-${createId("export")}
trap 'rm -f -- "$archive"' EXIT
if [ -d "$1" ]; then tar -C "$1" -cf "$archive" . || exit 1
else tar -C "\${1%/*}/" -chf "$archive" -- "./\${1##*/}" || exit 1; fi
if [ "$(wc -c <"$archive")" -gt ${most} ]; then echo "It is larger than ${most} bytes." >&2; exit 1; fi
base64 <"$archive"`
  const text = await runScript(api, script, { paths: [path], control })
  return new Blob([Buffer.from(text, "base64")]).stream()
}

/** Unpacked beside its place: a link that is there leads no entry away, and half of it is not seen. */
export async function importTree(
  api: SandboxApi,
  { path, as }: TreeImport,
  control: OperationControl,
): Promise<null> {
  const name = `.toolkeep-${createId("import")}`
  const parent = path.replace(/\/[^/]*$/, "") || "/"
  const [stage, archive] = [`${parent}/${name}`, `${parent}/${name}.tar`]
  const refuse = as === "file" ? refuseDirectory : refuseFile
  const paths = [path, stage, archive, parent] as const
  await runScript(api, refuse, { paths: [...paths], control })
  const { bytes, file } = await readWhole(control, { path, as })
  try {
    await runScript(api, `[ -d "$4" ] || mkdir -p -- "$4"`, { paths: [...paths], control })
    await writeFile(api, { path: archive, data: bytes, append: false }, control)
    const finish = as === "file" ? finishFile : finishDirectory
    const words = [...paths, file] as const
    await runScript(api, `${unpack}\n${refuse}\n${finish}`, { paths: [...words], control })
  } finally {
    const cleaning = { ...control, signal: new AbortController().signal }
    const script = `rm -rf -- "$2" "$3"`
    await runScript(api, script, { paths: [...paths], control: cleaning }).catch(() => {})
  }
  return null
}

const refuseFile = `if [ -e "$1" ] && [ ! -d "$1" ]; then echo "Not a directory" >&2; exit 1; fi`
const refuseDirectory = `if [ -d "$1" ]; then echo "Is a directory" >&2; exit 1; fi`
const unpack = `mkdir -- "$2" && tar -C "$2" -xpf "$3" || exit 1`
/** A link that has an entry's name is replaced and not followed. */
const finishDirectory = `mkdir -p -- "$1" && cd "$2" || exit 1
find . ! -name . -exec sh -c 'target=$1; shift
for one; do
  if [ -L "$target/$one" ] || { [ -L "$one" ] && [ ! -d "$target/$one" ]; }; then
    rm -f -- "$target/$one" || exit 1
  fi
done' sh "$1" {} + && cp -RPp . "$1"`
const finishFile = `if [ -L "$1" ]; then rm -f -- "$1" || exit 1; fi
mv -f -- "$2/$5" "$1"`

interface Whole {
  readonly bytes: Uint8Array
  /** The one file in it, when it has to be one. */
  readonly file: string
}

/** Looked at here first: what a foreign tar makes of a hostile archive nobody knows. */
async function readWhole(
  { input, signal }: OperationControl,
  { path, as }: Pick<TreeImport, "path" | "as">,
): Promise<Whole> {
  const pieces: Uint8Array[] = []
  let size = 0
  const bounded = new TransformStream<Uint8Array, Uint8Array>({
    transform(piece, controller) {
      size += piece.length
      if (size > sandboxLimits.readBytes) throw new WorkspaceError("no-space", path)
      pieces.push(piece)
      controller.enqueue(piece)
    },
  })
  const entries: { readonly kind: string; readonly name: string }[] = []
  const archive = (input ?? new Blob([]).stream()).pipeThrough(bounded)
  for await (const entry of readArchive(archive, path, signal)) {
    entries.push({ kind: entry.kind, name: entry.name })
    if (entry.kind === "file") for await (const _ of entry.body);
  }
  signal.throwIfAborted()
  const file = as === "file" ? requireOneFile(entries, path).name : ""
  return { bytes: Buffer.concat(pieces), file }
}
