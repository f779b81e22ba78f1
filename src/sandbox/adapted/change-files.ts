import { createId, quoteArguments, withAbort, withTimeout } from "../../kit/index.ts"
import { failureFrom } from "../agent/files/file-operations.ts"
import type { Operation, OperationControl } from "../host/operation.ts"
import { sandboxLimits } from "../limits.ts"
import type { SandboxApi } from "./adapt-sandbox.ts"

type Of<Kind extends Operation["kind"]> = Extract<Operation, { kind: Kind }>

export async function makeDirectory(
  api: SandboxApi,
  { path, mode }: Of<"file.mkdir">,
  control: OperationControl,
): Promise<null> {
  const permissions = mode === null ? "" : ` && chmod ${mode.toString(8)} "$1"`
  const script = `[ ! -d "$1" ] || exit 0
if [ -e "$1" ] || [ -L "$1" ]; then echo "File exists" >&2; exit 1; fi
mkdir -p -- "$1"${permissions}`
  await runScript(api, script, { paths: [path], control })
  return null
}

export async function removeFile(
  api: SandboxApi,
  { path, recursive }: Of<"file.remove">,
  control: OperationControl,
): Promise<null> {
  const script = recursive
    ? `${requireSource}\nrm -rf -- "$1"`
    : `if [ -d "$1" ] && [ ! -L "$1" ]; then rmdir -- "$1"; else rm -- "$1" </dev/null; fi`
  await runScript(api, script, { paths: [path], control })
  return null
}

const requireSource = `if [ ! -e "$1" ] && [ ! -L "$1" ]; then
  echo "No such file or directory" >&2; exit 1
fi`

/** A link that is in the place is taken away: what is moved there would go into what it leads to. */
const prepareTarget = `${requireSource}
if [ -d "$2" ] && [ ! -L "$2" ]; then echo "Is a directory" >&2; exit 1; fi
if [ -d "$1" ] && [ ! -L "$1" ]; then
  if [ -e "$2" ] || [ -L "$2" ]; then echo "Not a directory" >&2; exit 1; fi
  case "$2/" in "$1"/*) echo "into itself" >&2; exit 1 ;; esac
fi
[ -d "\${2%/*}/" ] || mkdir -p -- "\${2%/*}/" || exit 1
if [ "$1" != "$2" ] && [ -L "$2" ]; then rm -f -- "$2" || exit 1; fi`

export async function renameFile(
  api: SandboxApi,
  { path, to }: Of<"file.rename">,
  control: OperationControl,
): Promise<null> {
  await runScript(api, `${prepareTarget}\nmv -f -- "$1" "$2"`, { paths: [path, to], control })
  return null
}

export async function copyFile(
  api: SandboxApi,
  { path, to }: Of<"file.copy">,
  control: OperationControl,
): Promise<null> {
  // Into a name of its own first, so that half a copy never stands where a whole one is expected.
  const script = `${prepareTarget}
new=\${2%/*}/.toolkeep-${createId("copy")}
cp -RPp -- "$1" "$new" && mv -f -- "$new" "$2" || { rm -rf -- "$new"; exit 1; }`
  await runScript(api, script, { paths: [path, to], control })
  return null
}

interface ScriptRun {
  readonly paths: readonly [string, ...string[]]
  readonly control: OperationControl
  /** For sandboxes that take input. */
  readonly stdin?: Uint8Array | undefined
}

/** A short script for any POSIX shell, with paths as its arguments; the first is for the error. */
export async function runScript(
  api: SandboxApi,
  script: string,
  { paths, control, stdin = new Uint8Array() }: ScriptRun,
): Promise<string> {
  const { signal } = control
  signal.throwIfAborted()
  const heard = { stdout: [] as Uint8Array[], stderr: [] as Uint8Array[] }
  const running = api.exec(`set -- ${quoteArguments(paths)}\n${script}`, {
    cwd: "/",
    env: { LC_ALL: "C" },
    stdin,
    timeoutMs: null,
    signal,
    onOutput: ({ stream, bytes }) => void heard[stream].push(bytes),
  })
  try {
    // The second channel is for providers that can cancel; the others are left behind.
    const { exitCode, ...whole } = await withAbort(running, signal)
    const said = (stream: "stdout" | "stderr") =>
      textOf(whole[stream] ?? Buffer.concat(heard[stream]))
    if (exitCode !== 0) throw failureFrom(said("stderr"), paths[0])
    return said("stdout")
  } catch (error) {
    if (signal.aborted) await untilEnded(api, running)
    // A provider says in words of its own that it was cancelled.
    signal.throwIfAborted()
    throw error
  }
}

/** Waits a while for an aborted command, where its end is told: until then it could still change files. */
export async function untilEnded(api: SandboxApi, running: Promise<unknown>): Promise<void> {
  if (!api.endsOnAbort) return
  const ended = Promise.allSettled([running]).then(() => {})
  await withTimeout(ended, sandboxLimits.settleMs, { otherwise: () => {} })
}

function textOf(output: string | Uint8Array): string {
  return typeof output === "string" ? output : new TextDecoder().decode(output)
}
