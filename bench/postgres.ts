import { startPostgres } from "../test/support/postgres/start-postgres.ts"
import type { BenchSuite } from "./harness/bench-row.ts"
import { appendOnPostgres } from "./postgres/append.ts"

/** The figures of the record in PostgreSQL, on a server with its default settings. */
export const suite: BenchSuite = async () => {
  await using server = await startPostgres({})
  return [await appendOnPostgres(server)]
}
