import { type Envelope, isDeeperThan, ToolFailure } from "../../contract/index.ts"
import type { Session } from "../../session/index.ts"
import { reactiveLimits } from "../limits.ts"

/** The result of a call; throws where it failed, with the envelope's kind. */
export async function resultOf<Result>(call: Promise<Envelope<Result>>): Promise<Result> {
  const envelope = await call
  if (envelope.ok) return envelope.result
  throw new ToolFailure(envelope)
}

export interface FileOptions {
  readonly sandbox: string
  readonly path: string
  readonly signal: AbortSignal
}

/** A whole text file, which a tool answers in pieces. */
export async function readWhole(session: Session, file: FileOptions): Promise<string> {
  const { sandbox, path, signal } = file
  const pieces: Buffer[] = []
  let offset = 0
  for (;;) {
    const input = { sandbox, path, encoding: "base64", offset } as const
    const piece = await resultOf(session.call("file.read", input, { signal }))
    if (piece.kind !== "file") throw notText(path, "a directory")
    pieces.push(Buffer.from(piece.base64 ?? "", "base64"))
    if (piece.next_offset === undefined) break
    offset = piece.next_offset
    if (offset > reactiveLimits.fileBytes) {
      throw notText(path, `longer than ${reactiveLimits.fileBytes} bytes`)
    }
  }
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(Buffer.concat(pieces))
  } catch {
    throw notText(path, "not UTF-8")
  }
}

/** JSON that somebody else wrote; throws with what it is instead. */
export function parseData(text: string, what: string): unknown {
  const data = parsed(text)
  const { jsonDepth } = reactiveLimits
  if (data !== undefined && !isDeeperThan(jsonDepth, data)) return data
  const why = data === undefined ? "is not JSON" : `is nested in more than ${jsonDepth} levels`
  const message = `${what} ${why}.`
  throw new ToolFailure({ kind: "execution_error", message, retryable: false })
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function notText(path: string, why: string): ToolFailure {
  const message = `${JSON.stringify(path)} can't be read as text: it is ${why}.`
  return new ToolFailure({ kind: "execution_error", message, field: "path", retryable: false })
}

/** How a step is named in an error: by the start of its command, its path or its address. */
export function labelOf(text: string): string {
  const [line = ""] = text.split("\n")
  const { labelCharacters } = reactiveLimits
  const isWhole = line === text && line.length <= labelCharacters
  return JSON.stringify(isWhole ? line : `${line.slice(0, labelCharacters)}…`)
}
