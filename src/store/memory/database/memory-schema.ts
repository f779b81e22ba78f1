import { type OpenOptions, SqliteDatabase } from "../../sqlite/sqlite-database.ts"
import type { DatabaseSchema } from "../../sqlite/sqlite-schema.ts"

/**
 * What each version added; a file is brought up to date by the ones it has not seen.
 *
 * `words` holds no text, only which words are where; `signs` has one bit for each number of a vector,
 * apart from `vectors` so that going through all of them reads little. A number of `vectors` is never
 * used again, so that a reader that knows the highest can ask for what is new. `pending` is the queue of what
 * an embedder has not seen: triggers fill it, so an entry is in it as soon as it is durable. Nothing
 * here needs an extension, so that a process without one can write and remove as well.
 */
const migrations = [
  `
  CREATE TABLE namespaces (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL UNIQUE
  );
  CREATE TABLE entries (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    namespace INTEGER NOT NULL,
    content TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    created_ms INTEGER NOT NULL,
    updated_ms INTEGER NOT NULL
  );
  CREATE INDEX entries_of_namespace ON entries (namespace, number, bytes, updated_ms);
  CREATE VIRTUAL TABLE words USING fts5 (
    text, content = '', contentless_delete = 1, tokenize = 'porter unicode61 remove_diacritics 2'
  );
  CREATE TABLE chunks (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    entry INTEGER NOT NULL,
    namespace INTEGER NOT NULL,
    first INTEGER NOT NULL,
    beyond INTEGER NOT NULL
  );
  CREATE INDEX chunks_of_entry ON chunks (entry);
  CREATE TABLE embedders (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    dimensions INTEGER
  );
  CREATE TABLE pending (
    embedder INTEGER NOT NULL,
    tries INTEGER NOT NULL,
    chunk INTEGER NOT NULL,
    PRIMARY KEY (embedder, tries, chunk)
  ) WITHOUT ROWID;
  CREATE INDEX pending_chunks ON pending (chunk);
  CREATE TABLE vectors (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    chunk INTEGER NOT NULL,
    embedder INTEGER NOT NULL,
    vector BLOB NOT NULL,
    UNIQUE (chunk, embedder)
  );
  CREATE TABLE signs (
    embedder INTEGER NOT NULL,
    namespace INTEGER NOT NULL,
    chunk INTEGER NOT NULL,
    bits BLOB NOT NULL,
    PRIMARY KEY (embedder, namespace, chunk)
  ) WITHOUT ROWID;

  CREATE TRIGGER entry_removed AFTER DELETE ON entries BEGIN
    DELETE FROM words WHERE rowid = old.number;
    DELETE FROM chunks WHERE entry = old.number;
    DELETE FROM namespaces WHERE number = old.namespace
      AND NOT EXISTS (SELECT 1 FROM entries WHERE namespace = old.namespace);
  END;
  CREATE TRIGGER chunk_added AFTER INSERT ON chunks BEGIN
    INSERT INTO pending SELECT number, 0, new.number FROM embedders;
  END;
  CREATE TRIGGER chunk_removed AFTER DELETE ON chunks BEGIN
    DELETE FROM pending WHERE chunk = old.number;
    DELETE FROM vectors WHERE chunk = old.number;
    DELETE FROM signs WHERE embedder IN (SELECT number FROM embedders)
      AND namespace = old.namespace AND chunk = old.number;
  END;
  CREATE TRIGGER embedder_added AFTER INSERT ON embedders BEGIN
    INSERT INTO pending SELECT new.number, 0, number FROM chunks;
  END;
  `,
]

const memorySchema: DatabaseSchema = {
  what: "The memory",
  // "TKmm"
  applicationId: 0x544b6d6d,
  migrations,
}

export function openMemoryDatabase(
  file: string,
  signal?: OpenOptions["signal"],
): Promise<SqliteDatabase> {
  return SqliteDatabase.open(file, { schema: memorySchema, durability: "machine", signal })
}
