export { type Artifact, type Artifacts, artifactDirectory } from "./artifacts/artifact-directory.ts"
export { lockFile } from "./files/lock-file.ts"
export { memoryLimits, recordLimits } from "./limits.ts"
export type {
  MemoryEntry,
  MemoryHit,
  MemoryStore,
} from "./memory/database/memory-store.ts"
export type { EmbeddingSource } from "./memory/embedding/embedder.ts"
export { openMemory } from "./memory/open-memory.ts"
export { readProof, saveProof } from "./proofs/host-proofs.ts"
export { openRecord } from "./record/open-record.ts"
export type {
  CallOutput,
  EntryQuery,
  NewEntry,
  RecordEntry,
  RecordedSession,
  RecordReader,
  RecordStore,
  SessionRecord,
} from "./record/record-store.ts"
