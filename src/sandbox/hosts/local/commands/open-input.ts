import type { ChildProcess } from "node:child_process"
import { randomUUID } from "node:crypto"
import { closeSync, openSync } from "node:fs"
import { unlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import type { Writable } from "node:stream"
import { fileError } from "../file-error.ts"

/** What a command reads on its standard input. */
export interface CommandInput {
  /** The child's end. */
  readonly stdin: "ignore" | "pipe" | number
  /** Takes this process's end, where it has one, once the child has its own. */
  connect(child: ChildProcess): Writable | null
  /** Closes this process's end when there is no child. */
  abandon(): void
  /** Closes what only the child needs, whether there is one or not. */
  close(): void
}

/** An input that is all there before the command starts has no end in this process. */
const noEnd = { connect: () => null, abandon() {} }

/**
 * A file whose name is gone: a command may read it or not, whole or in part, or open it again as
 * /dev/stdin, and nobody waits for anybody. Without input it is /dev/null, so that what looks there
 * for something to read, as ripgrep does, finds nothing.
 */
export async function openInput(
  bytes: Uint8Array,
  temporaryDirectory: string,
): Promise<CommandInput> {
  if (bytes.length === 0) return { ...noEnd, stdin: "ignore", close() {} }
  const path = join(temporaryDirectory, `toolkeep-${randomUUID()}`)
  try {
    await writeFile(path, bytes, { flag: "wx", mode: 0o600 })
    const stdin = openSync(path, "r")
    return { ...noEnd, stdin, close: () => closeSync(stdin) }
  } catch (error) {
    throw fileError(error, temporaryDirectory)
  } finally {
    await unlink(path).catch(() => {})
  }
}
