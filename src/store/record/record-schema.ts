import { recordLimits } from "../limits.ts"
import type { DatabaseSchema } from "../sqlite/sqlite-schema.ts"

const sequenceBits = Math.log2(recordLimits.entries + 1)

/** Where an entry is in the table: behind all of earlier sessions, and the earlier ones of its own. */
export function placeOf(session: number, sequence: number): number {
  return session * (recordLimits.entries + 1) + sequence
}

/** The condition that an entry is one of a session, for the expression of the session's number. */
export function placesOf(session: string): string {
  return `place BETWEEN ${session} << ${sequenceBits} AND (${session} << ${sequenceBits}) + ${recordLimits.entries}`
}

/**
 * An entry's number within its session is its identity. A body that is large is in `blobs`, once however often it
 * is recorded. `epoch` counts how often a session was opened to be written: a writer with an older one is refused.
 */
const migrations = [
  `
  CREATE TABLE sessions (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL UNIQUE,
    parent_session TEXT,
    parent_call TEXT,
    state TEXT NOT NULL,
    epoch INTEGER NOT NULL,
    owner TEXT,
    created_ms INTEGER NOT NULL,
    updated_ms INTEGER NOT NULL
  );
  CREATE INDEX sessions_of_parent ON sessions (parent_session, updated_ms);
  CREATE TABLE entries (
    session INTEGER NOT NULL,
    sequence INTEGER NOT NULL,
    parent INTEGER,
    kind TEXT NOT NULL,
    at_ms INTEGER NOT NULL,
    milestone INTEGER,
    body TEXT,
    blob BLOB,
    PRIMARY KEY (session, sequence)
  ) WITHOUT ROWID;
  CREATE INDEX milestones ON entries (session, sequence) WHERE milestone = 1;
  CREATE INDEX entries_with_blob ON entries (blob) WHERE blob IS NOT NULL;
  CREATE TABLE unclosed (
    session INTEGER NOT NULL,
    key TEXT NOT NULL,
    sequence INTEGER NOT NULL,
    PRIMARY KEY (session, key)
  ) WITHOUT ROWID;
  CREATE TABLE blobs (hash BLOB PRIMARY KEY, body TEXT NOT NULL);
  CREATE TABLE outputs (
    session INTEGER NOT NULL,
    call TEXT NOT NULL,
    head TEXT NOT NULL,
    tail TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    PRIMARY KEY (session, call)
  );
  CREATE TABLE questions (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    session INTEGER NOT NULL,
    call TEXT NOT NULL,
    asked_ms INTEGER NOT NULL,
    body TEXT NOT NULL,
    answer TEXT,
    taken INTEGER
  );
  CREATE INDEX open_questions ON questions (session) WHERE taken IS NULL;
  CREATE TRIGGER session_removed AFTER DELETE ON sessions BEGIN
    DELETE FROM blobs WHERE hash IN (SELECT blob FROM entries WHERE session = old.number AND blob IS NOT NULL)
      AND NOT EXISTS (SELECT 1 FROM entries WHERE blob = hash AND session <> old.number);
    DELETE FROM entries WHERE session = old.number;
    DELETE FROM unclosed WHERE session = old.number;
    DELETE FROM outputs WHERE session = old.number;
    DELETE FROM questions WHERE session = old.number;
  END;
  `,
  // One tree instead of a table and its key: a commit writes half as many pages (bench: session-loop).
  `
  DROP TRIGGER session_removed;
  ALTER TABLE entries RENAME TO entries_1;
  CREATE TABLE entries (
    place INTEGER PRIMARY KEY,
    session INTEGER AS (place >> ${sequenceBits}) VIRTUAL,
    sequence INTEGER AS (place & ${recordLimits.entries}) VIRTUAL,
    parent INTEGER,
    kind TEXT NOT NULL,
    at_ms INTEGER NOT NULL,
    milestone INTEGER,
    body TEXT,
    blob BLOB
  );
  INSERT INTO entries (place, parent, kind, at_ms, milestone, body, blob)
    SELECT (session << ${sequenceBits}) + sequence, parent, kind, at_ms, milestone, body, blob
    FROM entries_1 ORDER BY session, sequence;
  DROP TABLE entries_1;
  CREATE INDEX milestones ON entries (milestone) WHERE milestone = 1;
  CREATE INDEX entries_with_blob ON entries (blob) WHERE blob IS NOT NULL;
  CREATE TRIGGER session_removed AFTER DELETE ON sessions BEGIN
    DELETE FROM blobs WHERE hash IN (SELECT blob FROM entries WHERE ${placesOf("old.number")} AND blob IS NOT NULL)
      AND NOT EXISTS (SELECT 1 FROM entries WHERE blob = hash AND session <> old.number);
    DELETE FROM entries WHERE ${placesOf("old.number")};
    DELETE FROM unclosed WHERE session = old.number;
    DELETE FROM outputs WHERE session = old.number;
    DELETE FROM questions WHERE session = old.number;
  END;
  `,
  // The texts of files that calls have changed, which entries name by their hash.
  `
  CREATE TABLE texts (
    session INTEGER NOT NULL,
    hash TEXT NOT NULL,
    characters INTEGER NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (session, hash)
  );
  CREATE TRIGGER session_texts_removed AFTER DELETE ON sessions BEGIN
    DELETE FROM texts WHERE session = old.number;
  END;
  `,
  // The order of the entries of all sessions, which is found when somebody asks for it: an append writes nothing of it.
  `
  CREATE TABLE positions (
    position INTEGER PRIMARY KEY,
    session INTEGER NOT NULL,
    sequence INTEGER NOT NULL,
    length INTEGER NOT NULL
  );
  CREATE INDEX positions_of_session ON positions (session);
  CREATE TABLE positioned (session INTEGER PRIMARY KEY, head INTEGER NOT NULL);
  CREATE TABLE last_position (position INTEGER NOT NULL);
  INSERT INTO last_position VALUES (0);
  CREATE TRIGGER session_positions_removed AFTER DELETE ON sessions BEGIN
    DELETE FROM positions WHERE session = old.number;
    DELETE FROM positioned WHERE session = old.number;
  END;
  `,
]

export const recordSchema: DatabaseSchema = {
  what: "The record",
  // "TKrc"
  applicationId: 0x544b7263,
  migrations,
}
