import { randomBytes } from "node:crypto"
import type { Sandbox } from "@alibaba-group/opensandbox"
import { type OutputChunk, ToolFailure } from "../../../contract/index.ts"
import { createId, onAbort, systemClock, withAbort } from "../../../kit/index.ts"
import type { SandboxApiExec, SandboxApiResult } from "../../adapted/adapt-sandbox.ts"
import { WorkspaceError } from "../../host/workspace-error.ts"
import { openSandboxLimits } from "../../limits.ts"
import { type CommandEvent, commandEvents, type ExecdAddress } from "./command-events.ts"
import { untilMark } from "./until-mark.ts"
import { type Encoder, wrapCommand } from "./wrap-command.ts"

export interface CommandPlace {
  readonly sandbox: Pick<Sandbox, "files" | "commands">
  readonly execd: ExecdAddress
  /** What each command has in its environment. */
  readonly env: Readonly<Record<string, string>>
  readonly encoder: Encoder
}

/** Runs a command to its end: bytes, exit codes and live output are as they were written. */
export async function runCommand(
  { sandbox, execd, env, encoder }: CommandPlace,
  script: string,
  asked: SandboxApiExec,
): Promise<SandboxApiResult> {
  const mark = randomBytes(16).toString("hex")
  const put = async (bytes: Uint8Array) => {
    const file = `/tmp/.toolkeep-${createId("input")}`
    const uploaded = sandbox.files.writeFiles([{ path: file, data: bytes, mode: 600 }])
    await withAbort(uploaded, asked.signal)
    return { file }
  }
  const { inlineBytes } = openSandboxLimits
  const isLong = Buffer.byteLength(script) > inlineBytes
  const command = wrapCommand({
    ...{ cwd: asked.cwd, mark, encoder },
    script: isLong ? await put(Buffer.from(script)) : { text: script },
    stdin: asked.stdin.length > inlineBytes ? await put(asked.stdin) : { bytes: asked.stdin },
  })
  // Its own deadline is the last resort: the one here tells a timeout from an exit code.
  const { timeoutMs } = asked
  const isFar = timeoutMs === null || timeoutMs > openSandboxLimits.timeoutMsMost
  const late = isFar ? {} : { timeout: timeoutMs + openSandboxLimits.timeoutSpareMs }
  const over = new AbortController()
  let id: string | null = null
  let stopWaiting = () => {}
  // The answer of an abort is that the command has ended, which its events tell.
  const stopListening = onAbort(asked.signal, () => {
    if (id === null) return over.abort()
    sandbox.commands.interrupt(id).catch(() => over.abort())
    stopWaiting = systemClock.after(openSandboxLimits.interruptMs, () => over.abort())
  })
  const body = { command, envs: { ...env, ...asked.env }, ...late }
  try {
    const end = await followEvents(commandEvents(execd, body, over.signal), mark, {
      onOutput: asked.onOutput,
      onStart(started) {
        id = started
        if (asked.signal.aborted) over.abort()
      },
    })
    if (end === "missing") throw new WorkspaceError("not-found", asked.cwd)
    if (end === "file") throw new WorkspaceError("not-directory", asked.cwd)
    return { exitCode: Number(end) }
  } catch (error) {
    asked.signal.throwIfAborted()
    if (error instanceof ToolFailure) throw error
    const message = "The connection to OpenSandbox broke off while the command ran."
    throw new ToolFailure({ kind: "unavailable", message }, { cause: error })
  } finally {
    stopListening()
    stopWaiting()
    // What the command has left in the background ends with it.
    over.abort()
  }
}

interface Following {
  readonly onOutput: (chunk: OutputChunk) => unknown
  /** Hears the command's id. */
  readonly onStart: (id: string) => void
}

/**
 * The exit code, or what is wrong with the directory. Until the end: the marks of both streams, or an end that execd knows of
 * where no mark can come any more.
 */
async function followEvents(
  events: AsyncIterable<CommandEvent>,
  mark: string,
  { onOutput, onStart }: Following,
): Promise<string> {
  const streams = { stdout: untilMark(mark), stderr: untilMark(mark) }
  let failed: string | null = null
  for await (const event of events) {
    switch (event.type) {
      case "init":
        onStart(event.text)
        break
      case "stdout":
      case "stderr": {
        const bytes = streams[event.type].add(Buffer.from(event.text, "base64"))
        if (bytes.length > 0) await onOutput({ stream: event.type, bytes })
        const [, end] = /^(\w+);/.exec(streams.stdout.rest() ?? "") ?? []
        if (end !== undefined && streams.stderr.rest() !== null) return end
        break
      }
      case "error":
        // Such as of a command that has killed everything that it could.
        if (!/^-?\d+$/.test(event.value)) throw ended(event.value)
        failed = event.value
        break
      case "execution_complete":
        if (failed !== null) return failed
        throw ended("it says nothing of how the command ended")
      default:
        break
    }
  }
  if (failed !== null) return failed
  throw ended("it broke off before the command had ended")
}

function ended(why: string): ToolFailure {
  const message = `Nobody knows how the command ended: OpenSandbox's answer, ${why}.`
  return new ToolFailure({ kind: "unavailable", message })
}
