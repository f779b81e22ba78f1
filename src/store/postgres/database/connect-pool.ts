import { ToolFailure } from "../../../contract/index.ts"
import { errorText, withTimeout } from "../../../kit/index.ts"
import { packageProblem } from "../../../node/index.ts"
import { postgresLimits } from "../../limits.ts"
import type { ConnectedPool, PostgresAddress, PostgresPool } from "./postgres-pool.ts"

/** The program's own pool stays open when the record is closed. */
export function givenPool(pool: PostgresPool): ConnectedPool {
  const address = { shown: "PostgreSQL", database: null, user: null }
  return { pool, address, close: async () => {} }
}

/** A pool of its own for an address. Nothing is connected yet, and no message repeats the address as it was given. */
export async function connectPool(
  url: string,
  load: () => Promise<Library> = () => import("pg"),
): Promise<ConnectedPool> {
  const problem = packageProblem("A record in PostgreSQL", ["pg"])
  if (problem !== null) throw permanent(problem)
  const { default: pg } = await load().catch((cause: unknown) => {
    throw permanent(`A record in PostgreSQL can't load pg: ${errorText(cause)}`, { cause })
  })
  const address = readAddress(pg, url)
  const pool = new pg.Pool({
    connectionString: url,
    max: postgresLimits.connections,
    connectionTimeoutMillis: postgresLimits.connectMs,
    idleTimeoutMillis: postgresLimits.idleMs,
    keepAlive: true,
    // A program ends though connections wait in the pool.
    allowExitOnIdle: true,
  })
  // A connection that breaks while nobody uses it is replaced by the next use.
  pool.on("error", () => {})
  const close = () => withTimeout(pool.end(), postgresLimits.connectMs, { otherwise: () => {} })
  return { pool, address, close }
}

type Library = Pick<typeof import("pg"), "default">

function readAddress({ Client }: Library["default"], url: string): PostgresAddress {
  const client = clientFor(Client, url)
  const { host, port, database = null, user = null } = client
  const isSocket = host.startsWith("/")
  return { shown: `PostgreSQL at ${isSocket ? host : `${host}:${port}`}`, database, user: user }
}

/** Reads the address, and connects to nothing. The library's own errors quote it, with its password. */
function clientFor(Client: Library["default"]["Client"], url: string) {
  try {
    if (/^postgres(ql)?:\/\//.test(url)) return new Client({ connectionString: url })
  } catch {
    // As below.
  }
  throw permanent(
    "The address of the store is not valid. Write it as postgres://user:password@host:5432/database, with % codes for special characters in the password.",
  )
}

function permanent(message: string, options?: ErrorOptions): ToolFailure {
  return new ToolFailure({ kind: "unavailable", message, retryable: false }, options)
}
