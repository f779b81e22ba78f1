import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { findProgram } from "../../../src/node/index.ts"
import { password, user } from "./start-postgres.ts"
import { endProgram, freePort, giveToOrdinaryUser, startProgram } from "./start-program.ts"

export interface Pooler extends AsyncDisposable {
  readonly port: number
}

const missing =
  "pgbouncer is missing: install it with `apt-get install pgbouncer`, or run `sh scripts/setup.sh --tests`."

/** pgbouncer in transaction mode: each transaction may get another of its few connections to the server. */
export async function startPgbouncer(server: { readonly port: number }): Promise<Pooler> {
  const program = findProgram("pgbouncer", `${process.env.PATH}:/usr/sbin`)
  if (program === null) throw new Error(missing)
  const directory = mkdtempSync(join(tmpdir(), "toolkeep-pgbouncer-"))
  const [settings, users] = [join(directory, "pgbouncer.ini"), join(directory, "users.txt")]
  const port = await freePort()
  writeFileSync(users, `"${user}" "${password}"\n`)
  writeFileSync(
    settings,
    `[databases]
* = host=127.0.0.1 port=${server.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${users}
pool_mode = transaction
default_pool_size = 4
max_client_conn = 200
server_login_retry = 1
`,
  )
  giveToOrdinaryUser(directory, settings, users)
  const child = await startProgram(program, [settings], /process up: /)
  return {
    port,
    async [Symbol.asyncDispose]() {
      await endProgram(child, "SIGKILL")
      rmSync(directory, { recursive: true, force: true })
    },
  }
}
