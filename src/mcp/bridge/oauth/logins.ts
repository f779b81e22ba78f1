import { chmod, readdir, readFile, rm, stat } from "node:fs/promises"
import { join } from "node:path"
import type { StoredOAuthClientInformation, StoredOAuthTokens } from "@modelcontextprotocol/client"
import type { HttpServer } from "../../../config/index.ts"
import { isObject, ToolFailure } from "../../../contract/index.ts"
import { errorCode } from "../../../kit/index.ts"
import { replaceFile, sha256 } from "../../../node/index.ts"
import { lockFile } from "../../../store/index.ts"

/** What is known about the login to one server. */
export interface Login {
  /** Changes with each login; absent before the first. */
  readonly id?: string
  /** Toolkeep's registration there, unless toolkeep.yaml has it. */
  readonly client?: StoredOAuthClientInformation | undefined
  readonly tokens?: StoredOAuthTokens | undefined
  /** How the server asked for a login, and the scopes that calls have missed since. */
  readonly asked?: { readonly metadata?: string | undefined; readonly scope?: string | undefined }
}

export type LoginServer = Pick<HttpServer, "name" | "url">

export type Logins = ReturnType<typeof loginsIn>

/** The logins to all servers, each for one address and in a file that only its owner can read. */
export function loginsIn(home: string) {
  const directory = join(home, "mcp", "logins")
  const locks = join(home, "mcp", "locks")
  const known = new Map<string, { readonly stamp: string; readonly login: Login }>()

  /** Called for each request; the file is read only when it has changed. */
  async function read(server: LoginServer): Promise<Login | null> {
    const file = join(directory, fileOf(server))
    const stamp = await stampOf(file)
    if (stamp === null) return null
    const held = known.get(file)
    if (held?.stamp === stamp) return held.login
    const login = await readLogin(file)
    known.set(file, { stamp, login })
    return login
  }

  return {
    read,
    async change(server: LoginServer, change: (login: Login) => Login): Promise<void> {
      const release = await lockFile(join(locks, fileOf(server)))
      try {
        const login = change((await read(server)) ?? {})
        await replaceFile(join(directory, fileOf(server)), `${JSON.stringify(login, null, 2)}\n`)
      } finally {
        release()
      }
    },
    /** Waits until nothing else, in this or another process, renews this login; the function releases it. */
    alone: (server: LoginServer) => lockFile(join(locks, `${fileOf(server)}.renewal`)),
    /** Also removes logins to addresses that the server had before; false when there were none. */
    async forget({ name }: LoginServer): Promise<boolean> {
      const files = (await readdir(directory).catch(() => [])).filter((file) => isOf(name, file))
      const paths = files.map((file) => join(directory, file))
      const logins = await Promise.all(paths.map((path) => readLogin(path).catch(() => null)))
      for (const path of paths) await rm(path, { force: true })
      return logins.some((login) => login?.tokens !== undefined)
    },
  }
}

/** With the address in its name, so that a login is never used for another one. */
function fileOf({ name, url }: LoginServer): string {
  return `${name}.${sha256(url.href)}.json`
}

/** Names of servers have no dots. */
function isOf(name: string, file: string): boolean {
  return file.startsWith(`${name}.`)
}

async function stampOf(file: string): Promise<string | null> {
  try {
    const { mtimeMs, ino, size } = await stat(file)
    return `${mtimeMs} ${ino} ${size}`
  } catch (error) {
    if (errorCode(error) === "ENOENT") return null
    throw error
  }
}

async function readLogin(file: string): Promise<Login> {
  try {
    await chmod(file, 0o600)
    const login: unknown = JSON.parse(await readFile(file, "utf8"))
    if (isObject(login)) return login
  } catch {
    // What it holds is secret, so nothing of it is in the message.
  }
  const message = `The login in ${file} can't be read; remove it, and log in again.`
  throw new ToolFailure({ kind: "unavailable", message, retryable: false })
}
