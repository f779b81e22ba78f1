/** What is used of a pool of `pg`, so that a program can hand over its own. */
export interface PostgresPool {
  connect(): Promise<PostgresClient>
}

export interface PostgresClient {
  query(query: PostgresQuery): Promise<PostgresResult>
  /** With true the connection is closed instead of being used again. */
  release(destroy?: boolean): void
  on(event: "error", listener: (error: Error) => void): unknown
  removeListener(event: "error", listener: (error: Error) => void): unknown
}

export interface PostgresQuery {
  text: string
  values?: unknown[]
  /** After so many milliseconds the answer is not waited for any more. */
  query_timeout?: number
}

export interface PostgresResult {
  readonly rows: readonly Readonly<Record<string, unknown>>[]
  readonly rowCount: number | null
}

/** A pool, what messages call the database behind it, and how the pool is closed. */
export interface ConnectedPool {
  readonly pool: PostgresPool
  readonly address: PostgresAddress
  close(): Promise<void>
}

/** Nothing of it is secret. */
export interface PostgresAddress {
  /** "PostgreSQL at 127.0.0.1:5432". */
  readonly shown: string
  /** Null where only the pool knows them. */
  readonly database: string | null
  readonly user: string | null
}
