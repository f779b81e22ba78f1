import { linkSync, rmSync } from "node:fs"
import { basename, join } from "node:path"
import type { Operation, OperationControl, TreeImport } from "../../host/operation.ts"
import { WorkspaceError } from "../../host/workspace-error.ts"
import { type AgentScope, runCommand } from "../commands/run-command.ts"
import { agentRunScript, failureFrom, inside } from "./file-operations.ts"

/**
 * Trees as tar streams, packed and unpacked by the sandbox's own tar as its own user: whatever an
 * archive holds, it can do no more there than a command could.
 */

export async function exportTree(
  { path }: Extract<Operation, { kind: "tree.export" }>,
  control: OperationControl,
  scope: AgentScope,
): Promise<ReadableStream<Uint8Array>> {
  // Known before there is a stream: a caller that asked for a missing path gets a failure and no archive.
  await inside(
    `[[ -d $1 || -f $1 ]] || { stat -L -- "$1" >/dev/null && echo "not a regular file" >&2; exit 1; }`,
    {
      path,
      control,
      scope,
    },
  )
  const { directory } = scope.exchange
  if (control.pipe && directory !== null) {
    const write = (to: string) => inside(`exec >"$2"\n${pack}`, { path, to, control, scope })
    await withPipe(control.pipe, directory, write)
    return new ReadableStream({ start: (controller) => controller.close() })
  }
  const cancelled = new AbortController()
  const signal = AbortSignal.any([control.signal, cancelled.signal])
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>(
    {},
    { highWaterMark: 1 },
    { highWaterMark: 4 },
  )
  const writer = writable.getWriter()
  writer.closed.catch((reason: unknown) => cancelled.abort(reason))
  runCommand(
    agentRunScript(pack, { path }),
    {
      signal,
      onOutput: ({ stream, bytes }) => (stream === "stdout" ? writer.write(bytes) : undefined),
    },
    scope,
  )
    .then(
      ({ exitCode, stderr, ending }) => {
        if (ending.kind === "aborted") return writer.abort(signal.reason)
        if (exitCode === 0) return writer.close()
        return writer.abort(failureFrom(new TextDecoder().decode(stderr.head), path))
      },
      (error: unknown) => writer.abort(error),
    )
    .catch(() => {})
  return readable
}

const pack = `if [[ -d $1 ]]; then exec tar -C "$1" -cf - .; fi
parent=$(dirname -- "$1"; echo .); name=$(basename -- "$1"; echo .)
exec tar -C "\${parent%$'\\n.'}" -chf - -- "./\${name%$'\\n.'}"`

export async function importTree(
  { path, as }: TreeImport,
  control: OperationControl,
  scope: AgentScope,
): Promise<null> {
  const script = as === "file" ? importFile : importDirectory
  const { directory } = scope.exchange
  if (control.pipe && directory !== null) {
    const read = (to: string) => inside(`exec <"$2"\n${script}`, { path, to, control, scope })
    await withPipe(control.pipe, directory, read)
    return null
  }
  const broken = new AbortController()
  const onBroken = (cause: unknown) => broken.abort(new WorkspaceError("failed", path, { cause }))
  const input = control.input && wholeArchive(control.input, onBroken)
  const signal = AbortSignal.any([control.signal, broken.signal])
  await inside(script, { path, control: { ...control, signal, input }, scope })
  return null
}

/**
 * A link that is in the directory already would lead tar out of it, so what is not empty is unpacked
 * into a directory of its own first; the copy replaces links and never goes through one.
 */
const importDirectory = `[[ ! -e $1 || -d $1 ]] || { echo "Not a directory" >&2; exit 1; }
mkdir -p -- "$1" || exit 1
if [[ -z $(find "$1/" -mindepth 1 -maxdepth 1 -print -quit) ]]; then
  exec tar -C "$1" -xpf - --no-same-owner
fi
new=$1/.toolkeep-$RANDOM$RANDOM$RANDOM
trap 'trap "" TERM; exit 143' TERM
trap 'rm -rf -- "$new"' EXIT
mkdir -- "$new" && chmod --reference="$1" -- "$new" && tar -C "$new" -xpf - --no-same-owner || exit 1
cp -alT --remove-destination -- "$new" "$1/."`

/** Unpacked beside its path, where it is moved only when it is whole. */
const importFile = `[[ ! -d $1 ]] || { echo "Is a directory" >&2; exit 1; }
parent=$(dirname -- "$1"; echo .); parent=\${parent%$'\\n.'}
[[ -d $parent ]] || mkdir -p -- "$parent" || exit 1
new=$parent/.toolkeep-$RANDOM$RANDOM$RANDOM
trap 'trap "" TERM; exit 143' TERM
trap 'rm -rf -- "$new"' EXIT
mkdir -m 700 -- "$new" && tar -C "$new" -xpf - --no-same-owner || exit 1
shopt -s dotglob nullglob; set -- "$1" "$new"/*
(( $# == 2 )) && [[ -f $2 && ! -L $2 ]] || { echo "not a regular file" >&2; exit 1; }
mv -fT -- "$2" "$1"`

/** Two empty blocks, which tar writes after the last file. */
const endBytes = 1024

/**
 * Passes an archive on. Programs that unpack take one that breaks off between two files for whole, so
 * the end of one that is not whole is never passed on: `onBroken` has to end the reader.
 */
function wholeArchive(
  archive: ReadableStream<Uint8Array>,
  onBroken: (why: unknown) => void,
): ReadableStream<Uint8Array> {
  const reader = archive.getReader()
  let zeros = 0
  let isCancelled = false
  const neverEnds = (why: unknown) => {
    if (!isCancelled) onBroken(why)
    return new Promise<void>(() => {})
  }
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read()
        if (done && zeros >= endBytes) return controller.close()
        if (done) return neverEnds(new Error("The archive ends too early."))
        const end = value.subarray(-endBytes)
        const last = end.findLastIndex((byte) => byte !== 0)
        zeros = last < 0 ? zeros + end.length : end.length - 1 - last
        controller.enqueue(value)
      } catch (error) {
        return neverEnds(error)
      }
    },
    cancel: (reason) => {
      isCancelled = true
      return reader.cancel(reason)
    },
  })
}

/** Lets commands reach a pipe of this machine for as long as the work takes; `path` is where it is inside. */
async function withPipe<Result>(
  pipe: string,
  directory: string,
  work: (path: string) => Promise<Result>,
): Promise<Result> {
  const name = basename(pipe)
  const link = join(directory, name)
  linkSync(pipe, link)
  try {
    return await work(`/run/toolkeep/${name}`)
  } finally {
    rmSync(link, { force: true })
  }
}
