import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Workspace } from "../../src/contract/index.ts"
import { bubblewrapHost, createPool, type Host, type Pool } from "../../src/sandbox/index.ts"

/** A sandbox to attack from, and a file of this machine that must be neither read nor changed. */
export interface AttackGround extends AsyncDisposable {
  readonly directory: string
  readonly host: Host
  readonly pool: Pool
  readonly workspace: Workspace
  /** Readable and writable by everybody: only the sandbox's wall is in the way. */
  readonly canary: string
  readonly secret: string
  /** What the canary holds now. */
  canaryContent(): string
  /** What a command prints, on both streams. */
  print(command: string): Promise<string>
}

export type OpenGround = () => Promise<AttackGround>

/** What opening and closing a ground may take on a busy machine. */
export const setUpMs = 60_000

/** What a command that ends by itself may take there: only one that never ends is ended. */
export const commandMs = 100_000

/** On bubblewrap. */
export const openMcpFixture: OpenGround = () => openGroundOn(bubblewrapHost)

export async function openGroundOn(
  makeHost: (options: { readonly directory: string }) => Host,
): Promise<AttackGround> {
  const directory = mkdtempSync(join(tmpdir(), "toolkeep-attack-"))
  chmodSync(directory, 0o755)
  const secret = `canary-${crypto.randomUUID()}`
  const canary = join(directory, "canary")
  writeFileSync(canary, secret)
  chmodSync(canary, 0o666)
  const host = makeHost({ directory: join(directory, "sandboxes") })
  const pool = createPool(host)
  const close = async () => {
    await pool.destroy()
    rmSync(directory, { recursive: true, force: true })
  }
  try {
    const workspace = await pool.workspace()
    return {
      ...{ directory, host, pool, workspace, canary, secret },
      canaryContent: () => readFileSync(canary, "utf8"),
      print: async (command) => {
        const { stdout, stderr } = await workspace.exec(command, { timeoutMs: commandMs })
        return stdout + stderr
      },
      [Symbol.asyncDispose]: close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

/** Why an operation on a file failed. */
export function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : String(error)
}
