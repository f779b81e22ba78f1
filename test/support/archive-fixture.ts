import { packTar, type TarHeader } from "modern-tar"

/** One entry of an archive that a test makes by hand. */
export type MadeEntry = Partial<TarHeader> & { readonly name: string; readonly text?: string }

/** An archive with exactly these headers, however hostile. */
export async function tarOf(entries: readonly MadeEntry[]): Promise<Uint8Array> {
  return packTar(
    entries.map(({ text = "", ...header }) => ({
      header: { type: "file", mode: 0o644, mtime: new Date(0), ...header, size: text.length },
      body: text,
    })),
  )
}

/** In pieces that end nowhere in particular, as they do on a wire. */
export function streamOf(bytes: Uint8Array, step = 1_000): ReadableStream<Uint8Array> {
  let at = 0
  return new ReadableStream<Uint8Array>({
    pull(controller) {
      if (at >= bytes.length) return controller.close()
      controller.enqueue(bytes.slice(at, at + step))
      at += step
    },
  })
}

export async function archiveOf(
  entries: readonly MadeEntry[],
): Promise<ReadableStream<Uint8Array>> {
  return streamOf(await tarOf(entries))
}

export async function bytesOf(stream: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  return new Uint8Array(await new Response(stream).arrayBuffer())
}
