import type { MessagePort } from "node:worker_threads"
import { DefenseInDepthBox } from "just-bash"
import type { OutputChunk } from "../../../../contract/index.ts"
import { errorText } from "../../../../kit/index.ts"
import type {
  FromThread,
  Script,
  ScriptEnd,
  ThreadData,
  ToThread,
} from "../threads/thread-messages.ts"
import { bytesOfText } from "./byte-text.ts"
import {
  captureGarbageCollector,
  createStopper,
  heapBytes,
  type Stopper,
} from "./create-stopper.ts"
import { captureLimitErrors } from "./limit-errors.ts"
import { connectDisk } from "./remote-disk.ts"
import { runScript, type ScriptResult } from "./run-script.ts"

/** The size of a message that carries output. */
const chunkCharacters = 1024 * 1024

/** Runs one script after the other as they arrive on the port. */
export function serveShell(port: MessagePort, { stop, memoryBytes }: ThreadData): void {
  const errors = captureLimitErrors()
  const collectGarbage = captureGarbageCollector()
  const { disk, receive } = connectDisk(port, errors)
  // Held until the thread ends: guarding this thread's globals for each script takes longer than most scripts.
  DefenseInDepthBox.getInstance(true).activate()
  // The shell replaces globals while it runs a script.
  const { load } = Atomics
  let stopper: Stopper | null = null
  const post = (message: FromThread, moved: readonly ArrayBuffer[] = []) =>
    port.postMessage(message, moved)

  async function run(script: Script): Promise<void> {
    const isAsked = () => load(stop, 0) !== 0
    stopper = createStopper({ isAsked, memoryBytes, collectGarbage, errors })
    try {
      const deps = { disk, stopper, errors, memoryBytes }
      const result = await runScript(script, deps)
      for (const { stream, bytes } of chunksOf(result)) {
        post({ kind: "output", stream, bytes }, [bytes.buffer])
      }
      const end = endOf(result, stopper)
      post({ kind: "ended", end, heapBytes: heapBytes() })
    } catch (error) {
      const end = { kind: "failed", message: errorText(error) } as const
      post({ kind: "ended", end, heapBytes: heapBytes() })
    }
  }

  port.on("message", (message: ToThread) => {
    switch (message.kind) {
      case "run":
        void run(message.script)
        break
      case "wake":
        stopper?.wake()
        break
      default:
        receive(message)
    }
  })
  post({ kind: "ready" })
}

function endOf({ exitCode }: ScriptResult, { reason }: Stopper): ScriptEnd {
  return reason === "out-of-memory" ? { kind: reason } : { kind: "exited", exitCode }
}

interface OwnedChunk extends OutputChunk {
  readonly bytes: Uint8Array<ArrayBuffer>
}

function* chunksOf(result: ScriptResult): Generator<OwnedChunk> {
  for (const stream of ["stdout", "stderr"] as const) {
    const text = result[stream]
    for (let start = 0; start < text.length; ) {
      const end = chunkEnd(text, start)
      yield { stream, bytes: bytesOfText(text.slice(start, end)) }
      start = end
    }
  }
  for (const { stream, bytes } of result.written) yield { stream, bytes: new Uint8Array(bytes) }
}

/** Never between the halves of a surrogate pair. */
function chunkEnd(text: string, start: number): number {
  const end = start + chunkCharacters
  const last = text.charCodeAt(end - 1)
  return last >= 0xd800 && last <= 0xdbff ? end + 1 : end
}
