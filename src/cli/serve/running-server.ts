import { readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { isDead, ownerOf, replaceFile } from "../../node/index.ts"

/** The server that was started last with this home, for other commands to find. */
export interface RunningServer {
  readonly url: string
  /** Where browsers reach it. */
  readonly address: string
  readonly token: string
}

interface Announced extends RunningServer {
  readonly owner: string
}

/** Says where this process serves. The returned function takes that back. */
export async function announceServer(home: string, server: RunningServer): Promise<() => void> {
  const owner = ownerOf(process.pid)
  const announced: Announced = { ...server, owner }
  // Its mode is that of the token's own file: only the owner of the home reads it.
  await replaceFile(fileIn(home), `${JSON.stringify(announced)}\n`)
  return () => {
    if (read(home)?.owner === owner) rmSync(fileIn(home), { force: true })
  }
}

/** Null where none runs. */
export function runningServer(home: string): RunningServer | null {
  const found = read(home)
  return found && !isDead(found.owner) ? found : null
}

function fileIn(home: string): string {
  return join(home, "server.json")
}

function read(home: string): Announced | null {
  try {
    return JSON.parse(readFileSync(fileIn(home), "utf8"))
  } catch {
    return null
  }
}
