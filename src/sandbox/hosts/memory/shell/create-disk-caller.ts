import type { MessagePort } from "node:worker_threads"
import type { FromThread, ToThread } from "../threads/thread-messages.ts"
import type { LimitErrors } from "./limit-errors.ts"
import type { CallDisk } from "./remote-file-system.ts"

type Answer = Extract<ToThread, { kind: "disk-answer" | "disk-refusal" }>

interface Waiting {
  readonly resolve: (value: never) => void
  readonly reject: (error: Error) => void
}

export interface DiskCaller {
  readonly call: CallDisk
  receive(answer: Answer): void
}

/** Calls the disk over a message port; answers may come in any order. */
export function createDiskCaller(port: MessagePort, errors: LimitErrors): DiskCaller {
  const waiting = new Map<number, Waiting>()
  let lastId = 0

  const call: CallDisk = (name, ...parameters) =>
    new Promise((resolve, reject) => {
      lastId += 1
      waiting.set(lastId, { resolve, reject })
      const request = { kind: "disk-request", id: lastId, call: name, parameters } as const
      const moved = parameters.filter((parameter) => parameter instanceof Uint8Array)
      port.postMessage(
        request satisfies FromThread,
        moved.map((bytes) => bytes.buffer as ArrayBuffer),
      )
    })

  function receive(answer: Answer): void {
    const caller = waiting.get(answer.id)
    waiting.delete(answer.id)
    if (answer.kind === "disk-answer") caller?.resolve(answer.value as never)
    else caller?.reject(errorFor(answer.message))
  }

  function errorFor(message: string): Error {
    // The shell writes a command's output after the command; a failure there is nobody's. On a full
    // disk the script ends and says so.
    const isFull = message.startsWith("ENOSPC")
    return isFull ? errors.create({ stdout: "", stderr: `bash: ${message}\n` }) : new Error(message)
  }

  return { call, receive }
}
