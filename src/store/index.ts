export { type Artifact, type Artifacts, artifactDirectory } from "./artifacts/artifact-directory.ts"
export { lockFile } from "./files/lock-file.ts"
export { memoryLimits, postgresLimits, recordLimits } from "./limits.ts"
export type {
  MemoryEntry,
  MemoryHit,
  MemoryStore,
} from "./memory/database/memory-store.ts"
export type { EmbeddingSource } from "./memory/embedding/embedder.ts"
export { openMemory } from "./memory/open-memory.ts"
export { type PostgresPlace, postgresRecord } from "./postgres/open-postgres.ts"
export { type HostProof, readProof, saveProof } from "./proofs/host-proofs.ts"
export { newestFirst } from "./record/newest-first.ts"
export { openRecord } from "./record/open-record.ts"
export type {
  CallOutput,
  EntryQuery,
  NewEntry,
  PositionedEntry,
  RecordEntry,
  RecordedSession,
  RecordReader,
  RecordStore,
  SessionRecord,
} from "./record/record-store.ts"
