import type { ChildProcess } from "node:child_process"
import { globSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import pg from "pg"
import {
  endProgram,
  freePort,
  giveToOrdinaryUser,
  runProgram,
  startProgram,
} from "./start-program.ts"

export const user = "toolkeep"
/** Has what an address has to encode. */
export const password = "pass/word %41?"

export interface PostgresServer extends AsyncDisposable {
  readonly port: number
  /** The address of a new, empty database. */
  createDatabase(): Promise<string>
  /** Ends all connections and the server: orderly, or as a crash does. */
  stop(how?: "orderly" | "crash"): Promise<void>
  start(): Promise<void>
}

export function addressOf(port: number, database: string, secret = password): string {
  return `postgres://${user}:${encodeURIComponent(secret)}@127.0.0.1:${port}/${database}`
}

/** The server of Debian's package, with a directory of its own. `settings` are those of postgresql.conf. */
export async function startPostgres(
  settings: Readonly<Record<string, string>> = { fsync: "off" },
): Promise<PostgresServer> {
  const directory = mkdtempSync(join(tmpdir(), "toolkeep-postgres-"))
  const [data, secret] = [join(directory, "data"), join(directory, "password")]
  writeFileSync(secret, password)
  giveToOrdinaryUser(directory, secret)
  runProgram(serverProgram("initdb"), [
    ...["--pgdata", data, "--username", user, "--pwfile", secret, "--auth", "scram-sha-256"],
    ...["--encoding", "UTF8", "--locale", "C.UTF-8", "--no-sync"],
  ])
  const port = await freePort()
  const options = Object.entries({
    ...{ listen_addresses: "127.0.0.1", port: String(port), unix_socket_directories: "" },
    ...{ shared_buffers: "32MB", max_connections: "60", ...settings },
  }).flatMap(([name, value]) => ["-c", `${name}=${value}`])
  let running: ChildProcess | null = null
  let databases = 0
  const stop = async (how: "orderly" | "crash" = "orderly") => {
    if (running) await endProgram(running, how === "orderly" ? "SIGINT" : "SIGQUIT")
  }
  const start = async () => {
    running = await startProgram(
      serverProgram("postgres"),
      ["-D", data, ...options],
      /database system is ready to accept connections/,
    )
  }
  await start()
  return {
    port,
    stop,
    start,
    async createDatabase() {
      databases += 1
      const name = `record_${databases}`
      await runSql(addressOf(port, "postgres"), `CREATE DATABASE ${name}`)
      return addressOf(port, name)
    },
    async [Symbol.asyncDispose]() {
      await stop("crash")
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

/** Behind any record: what a person would look up with psql. */
export async function runSql(
  url: string,
  sql: string,
): Promise<readonly Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}

/** Debian keeps the programs of a server apart, by version. */
function serverProgram(name: string): string {
  const [found] = globSync(`/usr/lib/postgresql/*/bin/${name}`).sort().reverse()
  if (found) return found
  throw new Error(
    "PostgreSQL's server is missing: install it with `apt-get install postgresql`, or run `sh scripts/setup.sh --tests`.",
  )
}
