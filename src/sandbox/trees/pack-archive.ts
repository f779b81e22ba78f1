import { createTarPacker, type TarHeader } from "modern-tar"
import { onAbort } from "../../kit/index.ts"

/** One entry of an archive that is made. Names start at the packed directory, without "./". */
export type PackedEntry = PackedFacts &
  (
    | { readonly kind: "directory" }
    | { readonly kind: "symlink"; readonly target: string }
    | {
        readonly kind: "file"
        readonly size: number
        /** Exactly `size` bytes. */
        readonly content: Iterable<Uint8Array> | AsyncIterable<Uint8Array>
      }
  )

interface PackedFacts {
  /** Empty for the packed directory itself. */
  readonly name: string
  readonly mode: number
  readonly modifiedMs: number
}

/** A tar of the entries, made as fast as it is read. Cancelling it ends the entries' own work too. */
export function packArchive(
  entries: Iterable<PackedEntry> | AsyncIterable<PackedEntry>,
  signal: AbortSignal,
): ReadableStream<Uint8Array> {
  const { readable, controller } = createTarPacker()

  async function pack(): Promise<void> {
    for await (const entry of entries) {
      signal.throwIfAborted()
      const writer = controller.add(headerOf(entry)).getWriter()
      // A reader that cancels is noticed at the next write.
      writer.closed.catch(() => {})
      if (entry.kind === "file") for await (const bytes of entry.content) await writer.write(bytes)
      await writer.close()
    }
    controller.finalize()
  }

  const stopListening = onAbort(signal, () => controller.error(signal.reason))
  pack()
    .catch((error: unknown) => controller.error(error))
    .finally(stopListening)
  return readable
}

function headerOf(entry: PackedEntry): TarHeader {
  const { name, kind, mode, modifiedMs } = entry
  return {
    name: kind === "directory" && name !== "" ? `./${name}/` : `./${name}`,
    type: kind,
    mode,
    // The format has no way to say a time before 1970.
    mtime: new Date(Math.max(0, modifiedMs)),
    size: entry.kind === "file" ? entry.size : 0,
    ...(entry.kind === "symlink" ? { linkname: entry.target } : {}),
  }
}
