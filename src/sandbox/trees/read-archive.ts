import { createTarDecoder, type ParsedTarEntry, type TarHeader } from "modern-tar"
import { limits } from "../../contract/index.ts"
import { WorkspaceError } from "../host/workspace-error.ts"

/** One entry of an archive that somebody sent. Names are clean and lead nowhere but down. */
export type ArchiveEntry = { readonly name: string } & (
  | ({ readonly kind: "directory" } & EntryFacts)
  | ({ readonly kind: "symlink"; readonly target: string } & EntryFacts)
  /** Another name of a file that came before. */
  | { readonly kind: "link"; readonly target: string }
  | ({
      readonly kind: "file"
      readonly size: number
      readonly body: ReadableStream<Uint8Array>
    } & EntryFacts)
)

export interface EntryFacts {
  readonly mode: number
  readonly modifiedMs: number
}

/**
 * The entries of a tar as it arrives. The whole archive is refused at the first entry that could land
 * outside the directory it is unpacked in, and at devices and pipes. A link may lead anywhere, as it
 * may when a command makes it: it stays as it is, and no entry can be put behind it. Each body has
 * to be read before the next entry.
 */
export async function* readArchive(
  archive: ReadableStream<Uint8Array>,
  path: string,
  signal: AbortSignal,
): AsyncGenerator<ArchiveEntry> {
  const { readable, writable } = createTarDecoder({ strict: true })
  const stop = new AbortController()
  archive.pipeTo(writable, { signal: AbortSignal.any([signal, stop.signal]) }).catch(() => {})
  const reader = readable.getReader()
  const links = new Set<string>()
  try {
    for (;;) {
      const { done, value } = await reader.read().catch(broken(path, signal))
      if (done) return
      yield checked(value, { path, links, signal })
    }
  } finally {
    // Also when the sender is slow: nobody waits for what it would still send.
    stop.abort()
    reader.cancel().catch(() => {})
  }
}

interface Checking {
  readonly path: string
  /** The symbolic links of the archive so far. */
  readonly links: Set<string>
  readonly signal: AbortSignal
}

function checked({ header, body }: ParsedTarEntry, checking: Checking): ArchiveEntry {
  const { path, links } = checking
  const name = cleanName(header.name, path)
  refuseBehindLink(name, checking)
  links.delete(name)
  const facts = {
    mode: (header.mode ?? 0) & 0o7777,
    modifiedMs: header.mtime?.getTime() ?? 0,
  }
  if (header.type === "directory") return { kind: "directory", name, ...facts }
  // Only a directory can be the directory that everything goes into.
  if (name === "") throw new WorkspaceError("not-directory", path)
  switch (header.type) {
    case "file":
    case undefined:
      refuseSparse(header, path)
      return { kind: "file", name, size: header.size, body: read(body, checking), ...facts }
    case "symlink":
      links.add(name)
      return { kind: "symlink", name, target: header.linkname ?? "", ...facts }
    case "link": {
      const target = cleanName(header.linkname ?? "", path)
      refuseBehindLink(target, checking)
      return { kind: "link", name, target }
    }
    default:
      throw new WorkspaceError("not-file", `${path}/${name}`)
  }
}

function read(body: ReadableStream<Uint8Array>, { path, signal }: Checking) {
  const reader = body.getReader()
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await reader.read().catch(broken(path, signal))
        if (done) controller.close()
        else controller.enqueue(value)
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  )
}

/** The failure of what is not an archive, or ends in the middle. */
function broken(path: string, signal: AbortSignal) {
  return (cause: unknown): never => {
    signal.throwIfAborted()
    throw new WorkspaceError("failed", path, { cause })
  }
}

function cleanName(given: string, path: string): string {
  const parts = given.split("/").filter((part) => part !== "" && part !== ".")
  if (given.startsWith("/")) throw new WorkspaceError("outside", given)
  if (parts.includes("..")) throw new WorkspaceError("outside", `${path}/${given}`)
  const name = parts.join("/")
  const isLong = parts.some((part) => Buffer.byteLength(part) > limits.pathPartBytes)
  if (isLong || Buffer.byteLength(`${path}/${name}`) >= limits.pathBytes) {
    throw new WorkspaceError("name-too-long", `${path}/${name}`)
  }
  if (/[\0\ufffd]/.test(name)) {
    const cause = new Error("The archive holds a name that is not UTF-8.")
    throw new WorkspaceError("failed", `${path}/${name}`, { cause })
  }
  return name
}

function refuseBehindLink(name: string, { path, links }: Checking): void {
  for (let end = name.indexOf("/"); end > 0; end = name.indexOf("/", end + 1)) {
    const above = name.slice(0, end)
    if (links.has(above)) throw new WorkspaceError("not-directory", `${path}/${above}`)
  }
}

/** Files with holes have a body of another form, which would be taken for their content. */
function refuseSparse({ name, pax = {} }: TarHeader, path: string): void {
  if (!Object.keys(pax).some((key) => key.startsWith("GNU.sparse."))) return
  const cause = new Error(`The archive holds ${name} as a sparse file.`)
  throw new WorkspaceError("failed", path, { cause })
}

interface Entry {
  readonly kind: string
  readonly name: string
}

/** The one regular file that an archive holds; refused when it holds anything else. */
export function requireOneFile<Any extends Entry>(
  entries: readonly Any[],
  path: string,
): Any & { readonly kind: "file" } {
  const [only, ...more] = entries.filter(({ name }) => name !== "")
  if (only && isFile(only) && !only.name.includes("/") && more.length === 0) return only
  throw new WorkspaceError("not-file", path)
}

function isFile<Any extends Entry>(entry: Any): entry is Any & { readonly kind: "file" } {
  return entry.kind === "file"
}
