import {
  type CallEffects,
  type ChangedFile,
  type FileChange,
  type FileEffects,
  type FileText,
  isObject,
  type Listed,
  type Unknown,
} from "../../contract/index.ts"
import type { SessionRecord } from "../../store/index.ts"

/** What a call did, as it is recorded: with the hashes of texts, which are stored apart. */
export interface RecordedEffects extends Omit<CallEffects, "files"> {
  readonly files: RecordedFiles | Unknown
}

export interface RecordedFiles extends Omit<FileEffects, FileChange> {
  readonly created: Listed<RecordedFile>
  readonly changed: Listed<RecordedFile>
  readonly removed: Listed<RecordedFile>
}

export interface RecordedFile extends Omit<ChangedFile, "before" | "after"> {
  readonly before?: StoredText | Unknown
  readonly after?: StoredText | Unknown
}

export interface StoredText {
  readonly hash: string
}

export const fileChanges: readonly FileChange[] = ["created", "changed", "removed"]

/** Stores the texts of files, and gives the effects that name them. */
export async function storeTexts(
  { files, ...effects }: CallEffects,
  open: () => Promise<SessionRecord>,
): Promise<RecordedEffects> {
  if ("unknown" in files) return { ...effects, files }
  const texts = new Set<string>()
  for (const change of fileChanges) {
    for (const { before, after } of files[change].first) {
      for (const one of [before, after]) if (one && "text" in one) texts.add(one.text)
    }
  }
  const hashes = texts.size === 0 ? none : await store([...texts], open)
  return { ...effects, files: withStored(files, (text) => hashes.get(text) ?? noRoom) }
}

/** The same where no text could be stored. */
export function withoutTexts({ files, ...effects }: CallEffects): RecordedEffects {
  if ("unknown" in files) return { ...effects, files }
  return { ...effects, files: withStored(files, () => notStored) }
}

function withStored(
  files: FileEffects,
  find: (text: string) => StoredText | Unknown,
): RecordedFiles {
  const stored = (found: FileText | Unknown) => ("text" in found ? find(found.text) : found)
  const all = ({ count, first }: Listed<ChangedFile>): Listed<RecordedFile> => ({
    count,
    first: first.map(({ before, after, ...file }) => ({
      ...file,
      ...(before && { before: stored(before) }),
      ...(after && { after: stored(after) }),
    })),
  })
  const { created, changed, removed } = files
  return { ...files, created: all(created), changed: all(changed), removed: all(removed) }
}

async function store(
  texts: readonly string[],
  open: () => Promise<SessionRecord>,
): Promise<ReadonlyMap<string, StoredText>> {
  const record = await open()
  const hashes = await record.putTexts(texts)
  const known = texts.map((text, index) => [text, hashes[index] ?? null] as const)
  return new Map(known.flatMap(([text, hash]) => (hash === null ? [] : [[text, { hash }]])))
}

const none: ReadonlyMap<string, StoredText> = new Map()
const notStored: Unknown = { unknown: "it could not be recorded" }
const noRoom: Unknown = { unknown: "the session has recorded as many texts as it may" }

/** The hashes of the texts that an entry names, which may be anybody's. */
export function textHashes(kind: string, body: unknown): readonly string[] {
  if (!isObject(body)) return []
  const { files, output } = body
  if (kind === "envelope" && isObject(output)) {
    return [output.head, output.tail].filter((hash) => typeof hash === "string")
  }
  if (kind !== "call-effects" || !isObject(files)) return []
  return fileChanges.flatMap((change) => {
    const list = files[change]
    const first = isObject(list) && Array.isArray(list.first) ? list.first : []
    return first.flatMap((file: unknown) =>
      isObject(file) ? [file.before, file.after].flatMap(hashOf) : [],
    )
  })
}

function hashOf(found: unknown): readonly string[] {
  return isObject(found) && typeof found.hash === "string" ? [found.hash] : []
}
