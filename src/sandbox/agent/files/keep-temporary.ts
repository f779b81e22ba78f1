import { createReadStream, createWriteStream, existsSync, rmSync } from "node:fs"
import { rename } from "node:fs/promises"
import { Readable } from "node:stream"
import { finished } from "node:stream/promises"
import { ToolFailure } from "../../../contract/index.ts"
import { diskLimits, sandboxLimits } from "../../limits.ts"
import { type AgentScope, runCommand } from "../commands/run-command.ts"
import { agentRunScript, failureFrom } from "./file-operations.ts"

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
set -o pipefail; cd -- "$1" && printf './%s\\0' * | tar --null --verbatim-files-from --sparse -cf - -T -`

export interface SavingTemporary {
  readonly scope: AgentScope
  /** What the sandbox may still take of the disk; asked only when there is something to save. */
  readonly left: () => Promise<number>
}

/**
 * A temporary directory is memory, which does not outlive a sleep: its files wait in a file of this machine,
 * where they count as the sandbox's. Answers with how large that is.
 */
export async function saveTemporary(
  file: string,
  { scope, left }: SavingTemporary,
): Promise<number> {
  const part = `${file}.part`
  const target = createWriteStream(part, { mode: 0o600 })
  let bytes = 0
  let asked: Promise<number> | null = null
  const requireRoom = async () => {
    asked ??= left()
    if (bytes > (await asked)) throw temporaryTooLarge()
  }
  const write = async (chunk: Uint8Array) => {
    bytes += chunk.length
    await new Promise<void>((resolve, reject) => {
      target.write(chunk, (error) => (error ? reject(error) : resolve()))
    })
    if (bytes > diskLimits.leastStepBytes) await requireRoom()
  }
  target.on("error", () => {})
  const { exitCode, stderr } = await runCommand(
    agentRunScript(pack, { path: temporary }),
    {
      signal: never,
      graceMs: () => 0,
      onOutput: ({ stream, bytes }) => (stream === "stdout" ? write(bytes) : undefined),
    },
    { ...scope, closing: never },
  )
    .then(async (outcome) => {
      if (bytes > 0) await requireRoom()
      return outcome
    })
    .catch(async (error: unknown) => {
      target.destroy()
      await finished(target).catch(() => {})
      rmSync(part, { force: true })
      throw error
    })
  target.end()
  await finished(target)
  if (exitCode !== 0) throw failureFrom(new TextDecoder().decode(stderr.head), temporary)
  if (bytes > 0) await rename(part, file)
  else rmSync(part)
  return bytes
}

function temporaryTooLarge(): ToolFailure {
  return new ToolFailure({
    kind: "execution_error",
    message:
      "The sandbox can't go to sleep: while it sleeps, its temporary files (/tmp) count as its disk, and take more " +
      "than its limits leave. Remove some of them, or other files.",
    retryable: false,
  })
}

/** Puts back what was saved; what can't be put back stays for the next time. */
export async function restoreTemporary(file: string, scope: AgentScope): Promise<void> {
  if (!existsSync(file)) return
  const input = Readable.toWeb(createReadStream(file)) as ReadableStream<Uint8Array>
  const { exitCode, stderr } = await runCommand(
    agentRunScript(`exec tar -C "$1" -xpf - --no-same-owner --no-overwrite-dir`, {
      path: temporary,
    }),
    { signal: never, input, onOutput: () => {} },
    // They may be of a sandbox with a larger disk; the directory itself has a size.
    {
      ...scope,
      closing: never,
      fileBytes: Math.max(scope.fileBytes, sandboxLimits.temporaryBytes),
    },
  )
  if (exitCode !== 0) throw failureFrom(new TextDecoder().decode(stderr.head), temporary)
  rmSync(file)
}
