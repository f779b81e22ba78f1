import { type DiskCalls, isDiskCall } from "../disk/disk-calls.ts"
import type { DiskRequest, ToThread } from "./thread-messages.ts"

type Answer = (message: ToThread, moved?: readonly ArrayBuffer[]) => void

export function answerDiskRequest(disk: DiskCalls, request: DiskRequest, answer: Answer): void {
  const { id, call, parameters } = request
  try {
    // The thread runs code that strangers wrote; what it asks for is checked, not believed.
    if (!isDiskCall(call)) throw new Error("EIO: no such call")
    const value: unknown = Reflect.apply(disk[call], disk, parameters)
    answer({ kind: "disk-answer", id, value }, value instanceof Uint8Array ? [bufferOf(value)] : [])
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    answer({ kind: "disk-refusal", id, message })
  }
}

function bufferOf(bytes: Uint8Array): ArrayBuffer {
  return bytes.buffer as ArrayBuffer
}
