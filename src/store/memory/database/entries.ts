import { createId } from "../../../kit/index.ts"
import type { Transaction } from "../../sqlite/sqlite-database.ts"
import { searchableText, splitChunks } from "./indexed-text.ts"
import type { MemoryEntry, MemoryNamespace, MemoryPage } from "./memory-store.ts"

interface NewContent {
  readonly namespace: string
  readonly content: string
  readonly nowMs: number
}

/** Adds an entry, and its namespace when that is new. */
export function addEntry(transaction: Transaction, entry: NewContent): string {
  const { content, nowMs } = entry
  transaction.run("INSERT OR IGNORE INTO namespaces (name) VALUES (?)", entry.namespace)
  const namespace = namespaceNumber(transaction, entry.namespace) ?? 0
  const id = createId("memory")
  const { row } = transaction.run(
    "INSERT INTO entries (id, namespace, content, bytes, created_ms, updated_ms) VALUES (?, ?, ?, ?, ?, ?)",
    ...[id, namespace, content, Buffer.byteLength(content), nowMs, nowMs],
  )
  indexContent(transaction, { entry: row, namespace, content })
  return id
}

/** Gives an entry another content; false when there is no such entry. */
export function changeEntry(transaction: Transaction, id: string, entry: NewContent): boolean {
  const { content, nowMs } = entry
  const namespace = namespaceNumber(transaction, entry.namespace)
  const row = transaction.get("SELECT number, namespace FROM entries WHERE id = ?", id)
  if (namespace === null || row?.namespace !== namespace) return false
  const number = Number(row.number)
  transaction.run(
    "UPDATE entries SET content = ?, bytes = ?, updated_ms = ? WHERE number = ?",
    ...[content, Buffer.byteLength(content), nowMs, number],
  )
  transaction.run("DELETE FROM words WHERE rowid = ?", number)
  transaction.run("DELETE FROM chunks WHERE entry = ?", number)
  indexContent(transaction, { entry: number, namespace, content })
  return true
}

/** Removes an entry of the namespace, or all of them; how many are gone. */
export function removeEntries(transaction: Transaction, name: string, id?: string): number {
  const namespace = namespaceNumber(transaction, name)
  if (namespace === null) return 0
  const gone =
    id === undefined
      ? transaction.run("DELETE FROM entries WHERE namespace = ?", namespace)
      : transaction.run("DELETE FROM entries WHERE namespace = ? AND id = ?", namespace, id)
  return gone.changes
}

export function readPage(
  transaction: Transaction,
  name: string,
  page: { readonly offset: number; readonly limit: number },
): MemoryPage | null {
  const namespace = namespaceNumber(transaction, name)
  if (namespace === null) return null
  const rows = transaction.all(
    "SELECT id, content, created_ms, updated_ms FROM entries WHERE namespace = ? ORDER BY number LIMIT ? OFFSET ?",
    ...[namespace, page.limit, page.offset],
  )
  return { entries: rows.map(entryFrom), entryCount: countEntries(transaction, name) }
}

export function findEntry(transaction: Transaction, name: string, id: string): MemoryEntry | null {
  const row = transaction.get(
    `SELECT id, content, created_ms, updated_ms FROM entries
     WHERE id = ? AND namespace = (SELECT number FROM namespaces WHERE name = ?)`,
    ...[id, name],
  )
  return row ? entryFrom(row) : null
}

export function listNamespaces(
  transaction: Transaction,
  prefix: string,
): readonly MemoryNamespace[] {
  const rows = transaction.all(
    `SELECT name, count(*) AS entry_count, sum(bytes) AS bytes, max(updated_ms) AS updated_ms
     FROM namespaces JOIN entries ON entries.namespace = namespaces.number
     WHERE substr(name, 1, length(?1)) = ?1 GROUP BY namespaces.number ORDER BY name`,
    prefix,
  )
  return rows.map((row) => ({
    name: String(row.name),
    entryCount: Number(row.entry_count),
    bytes: Number(row.bytes),
    updatedMs: Number(row.updated_ms),
  }))
}

export function countEntries(transaction: Transaction, name: string): number {
  const count =
    "SELECT count(*) FROM entries WHERE namespace = (SELECT number FROM namespaces WHERE name = ?)"
  return transaction.number(count, name) ?? 0
}

export function namespaceNumber(transaction: Transaction, name: string): number | null {
  return transaction.number("SELECT number FROM namespaces WHERE name = ?", name)
}

function indexContent(
  transaction: Transaction,
  of: { readonly entry: number; readonly namespace: number; readonly content: string },
): void {
  const text = searchableText(of.content)
  transaction.run("INSERT INTO words (rowid, text) VALUES (?, ?)", of.entry, text)
  for (const { first, beyond } of splitChunks(of.content)) {
    transaction.run(
      "INSERT INTO chunks (entry, namespace, first, beyond) VALUES (?, ?, ?, ?)",
      ...[of.entry, of.namespace, first, beyond],
    )
  }
}

function entryFrom(row: Readonly<Record<string, unknown>>): MemoryEntry {
  return {
    id: String(row.id),
    content: String(row.content),
    createdMs: Number(row.created_ms),
    updatedMs: Number(row.updated_ms),
  }
}
