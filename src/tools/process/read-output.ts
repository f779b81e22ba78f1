import {
  type CallContext,
  limits,
  trimEndToCharacter,
  trimStartToCharacter,
} from "../../contract/index.ts"
import { firstCharacter } from "../file/read/text-bytes.ts"
import { findProcess } from "./find-process.ts"
import { stateResult } from "./process-result.ts"

export interface OutputRequest {
  readonly pid: number
  readonly offset: number
  readonly limit: number
}

const longestCharacter = 4
const decoder = new TextDecoder("utf-8", { ignoreBOM: true })

/** A piece of the log that starts and ends between characters, with the state as it was before it was read. */
export async function readOutput({ pid, offset, limit }: OutputRequest, context: CallContext) {
  const workspace = await context.workspace()
  const { id } = await findProcess(workspace, pid)
  const length = limit + longestCharacter
  const { bytes, state } = await workspace.processes.output(id, {
    offset,
    length,
    signal: context.signal,
  })
  const whole = offset > 0 ? trimStartToCharacter(bytes) : bytes
  const start = offset + bytes.length - whole.length
  const wanted = takeText(whole, { limit, isAll: state.kind !== "running" })
  const taken = fitting(wanted)
  const isLimited = whole.length > limit && whole.length > wanted.length
  return {
    kind: "output" as const,
    pid,
    text: decoder.decode(taken),
    offset: start,
    next_offset: start + taken.length,
    truncated: isLimited || wanted.length > taken.length,
    ...stateResult(state),
  }
}

/** Half a character at the end waits for its rest, unless nothing more can come. */
function takeText(
  bytes: Uint8Array,
  { limit, isAll }: { readonly limit: number; readonly isAll: boolean },
): Uint8Array {
  if (bytes.length <= limit && isAll) return bytes
  const cut = trimEndToCharacter(bytes.subarray(0, limit))
  // Even when the limit is smaller than one character, reading on must get somewhere.
  return bytes.length > limit && cut.length === 0 ? firstCharacter(bytes) : cut
}

/** Bytes that are no text are three times as many when they are shown. */
function fitting(bytes: Uint8Array): Uint8Array {
  let taken = bytes
  while (Buffer.byteLength(decoder.decode(taken)) > limits.textBytes) {
    taken = trimEndToCharacter(taken.subarray(0, Math.floor(taken.length / 2)))
  }
  return taken
}
