import { createReadStream, createWriteStream, existsSync, rmSync } from "node:fs"
import { rename } from "node:fs/promises"
import { Readable } from "node:stream"
import { finished } from "node:stream/promises"
import { failureFrom, insideRun } from "./file-operations.ts"
import { type AgentScope, runCommand } from "./run-command.ts"

/** In a sandbox's directory: the temporary directory's files, while it sleeps. */
export const temporaryName = "temporary.tar"

const temporary = "/tmp"
const never = new AbortController().signal

/** Ends every process but the agent and those that it runs this with. */
export const endOthers = `keep=" "; pid=$BASHPID
while (( pid > 0 )); do
  keep+="$pid "; read -r line <"/proc/$pid/stat"; set -- "$1" \${line##*) }; pid=$3
done
for pid in /proc/[0-9]*; do
  pid=\${pid#/proc/}; [[ $keep == *" $pid "* || $pid == 1 ]] || kill -KILL "$pid" 2>/dev/null
done`

/**
 * Whatever commands have left running could change what is packed, so it is ended.
 * Then packs all files, those as well that their owner has closed to himself; nothing when there are none. The directory itself is
 * left out: in a container it is root's, and nobody else may put back what it was.
 */
const pack = `${endOthers}
shopt -s nullglob dotglob; set -- "$1" "$1"/*
(( $# > 1 )) || exit 0
find "$1" -mindepth 1 ! -type l ! -readable -exec chmod u+rX -- {} + || exit 1
set -o pipefail; cd -- "$1" && printf './%s\\0' * | tar --null --verbatim-files-from -cf - -T -`

/** A temporary directory is memory, which does not outlive a sleep: its files wait in a file of this machine. */
export async function saveTemporary(file: string, scope: AgentScope): Promise<void> {
  const part = `${file}.part`
  const target = createWriteStream(part, { mode: 0o600 })
  let bytes = 0
  const write = (chunk: Uint8Array) => {
    bytes += chunk.length
    return new Promise<void>((resolve, reject) => {
      target.write(chunk, (error) => (error ? reject(error) : resolve()))
    })
  }
  target.on("error", () => {})
  const { exitCode, stderr } = await runCommand(
    insideRun(pack, { path: temporary }),
    {
      signal: never,
      onOutput: ({ stream, bytes }) => (stream === "stdout" ? write(bytes) : undefined),
    },
    { ...scope, closing: never },
  )
  target.end()
  await finished(target)
  if (exitCode !== 0) throw failureFrom(new TextDecoder().decode(stderr.head), temporary)
  if (bytes > 0) await rename(part, file)
  else rmSync(part)
}

/** Puts back what was saved; what can't be put back is kept for the next time. */
export async function restoreTemporary(file: string, scope: AgentScope): Promise<void> {
  if (!existsSync(file)) return
  const input = Readable.toWeb(createReadStream(file)) as ReadableStream<Uint8Array>
  const { exitCode, stderr } = await runCommand(
    insideRun(`exec tar -C "$1" -xpf - --no-same-owner --no-overwrite-dir`, { path: temporary }),
    { signal: never, input, onOutput: () => {} },
    { ...scope, closing: never },
  )
  if (exitCode !== 0) throw failureFrom(new TextDecoder().decode(stderr.head), temporary)
  rmSync(file)
}
