import type { MessagePort } from "node:worker_threads"
import { type DiskCalls, diskCalls } from "../disk/disk-calls.ts"
import type { FromThread, ToThread } from "../threads/thread-messages.ts"
import type { LimitErrors } from "./limit-errors.ts"

/** The disk, which another thread holds. */
export type RemoteDisk = {
  readonly [Call in keyof DiskCalls]: (
    ...parameters: Parameters<DiskCalls[Call]>
  ) => Promise<ReturnType<DiskCalls[Call]>>
}

type Answer = Extract<ToThread, { kind: "disk-answer" | "disk-refusal" }>

/** Calls the disk over a message port; answers may come in any order. */
export function connectDisk(port: MessagePort, errors: LimitErrors) {
  const waiting = new Map<number, PromiseWithResolvers<unknown>>()
  let lastId = 0

  function call(name: keyof DiskCalls, parameters: readonly unknown[]): Promise<unknown> {
    lastId += 1
    const answered = Promise.withResolvers<unknown>()
    waiting.set(lastId, answered)
    const request = { kind: "disk-request", id: lastId, call: name, parameters } as const
    const moved = parameters.filter((parameter) => parameter instanceof Uint8Array)
    port.postMessage(
      request satisfies FromThread,
      moved.map((bytes) => bytes.buffer as ArrayBuffer),
    )
    return answered.promise
  }

  function receive(answer: Answer): void {
    const caller = waiting.get(answer.id)
    waiting.delete(answer.id)
    if (answer.kind === "disk-answer") caller?.resolve(answer.value)
    else caller?.reject(errorFor(answer.message))
  }

  function errorFor(message: string): Error {
    // The shell writes a command's output after the command; a failure there has no caller. On a full
    // disk the script ends and says so.
    const isFull = message.startsWith("ENOSPC")
    return isFull ? errors.create({ stdout: "", stderr: `bash: ${message}\n` }) : new Error(message)
  }

  const disk = Object.fromEntries(
    diskCalls.map((name) => [name, (...parameters: unknown[]) => call(name, parameters)]),
  ) as unknown as RemoteDisk
  return { disk, receive }
}
