import { posix } from "node:path"
import type {
  BufferEncoding,
  ByteString,
  CpOptions,
  FileContent,
  FsStat,
  IFileSystem,
  MkdirOptions,
  RmOptions,
} from "just-bash"
import type { DiskCalls, DiskEntry, DiskStat } from "../disk/disk-calls.ts"
import { bytesOfText, textOfBytes } from "./byte-text.ts"

export type Encoding = BufferEncoding | { encoding?: BufferEncoding | null } | undefined

/** Asks the thread that holds the disk. */
export type CallDisk = <Call extends keyof DiskCalls>(
  call: Call,
  ...parameters: Parameters<DiskCalls[Call]>
) => Promise<ReturnType<DiskCalls[Call]>>

/** The disk of another thread in the form in which the shell uses files. */
export class RemoteFileSystem implements IFileSystem {
  readonly #call: CallDisk

  constructor(call: CallDisk) {
    this.#call = call
  }

  async readFile(path: string, options?: Encoding): Promise<string> {
    const bytes = await this.#call("read", path)
    const encoding = encodingOf(options)
    return isText(encoding) ? textOfBytes(bytes) : Buffer.from(bytes).toString(encoding)
  }

  async readFileBytes(path: string): Promise<ByteString> {
    const bytes = await this.#call("read", path)
    return latin1Of(bytes) as unknown as ByteString
  }

  readFileBuffer(path: string): Promise<Uint8Array> {
    return this.#call("read", path)
  }

  writeFile(path: string, content: FileContent, options?: Encoding): Promise<void> {
    return this.#call("write", path, bytesOf(content, encodingOf(options)))
  }

  appendFile(path: string, content: FileContent, options?: Encoding): Promise<void> {
    return this.#call("append", path, bytesOf(content, encodingOf(options)))
  }

  exists(path: string): Promise<boolean> {
    return this.#call("exists", path)
  }

  async stat(path: string): Promise<FsStat> {
    return statFor(await this.#call("stat", path))
  }

  async lstat(path: string): Promise<FsStat> {
    return statFor(await this.#call("lstat", path))
  }

  mkdir(path: string, options: MkdirOptions = {}): Promise<void> {
    return this.#call("makeDirectory", path, { parents: options.recursive ?? false })
  }

  async readdir(path: string): Promise<string[]> {
    return (await this.#call("list", path)).map((entry) => entry.name)
  }

  async readdirWithFileTypes(path: string): Promise<EntryWithType[]> {
    return (await this.#call("list", path)).map(entryFor)
  }

  rm(path: string, options: RmOptions = {}): Promise<void> {
    const { recursive = false, force = false } = options
    return this.#call("remove", path, { recursive, force })
  }

  cp(source: string, destination: string, options: CpOptions = {}): Promise<void> {
    return this.#call("copy", source, destination, { recursive: options.recursive ?? false })
  }

  mv(source: string, destination: string): Promise<void> {
    return this.#call("rename", source, destination)
  }

  chmod(path: string, mode: number): Promise<void> {
    return this.#call("setMode", path, mode)
  }

  symlink(target: string, path: string): Promise<void> {
    return this.#call("symlink", target, path)
  }

  link(existing: string, path: string): Promise<void> {
    return this.#call("link", existing, path)
  }

  readlink(path: string): Promise<string> {
    return this.#call("readLink", path)
  }

  realpath(path: string): Promise<string> {
    return this.#call("realPath", path)
  }

  utimes(path: string, _accessed: Date, modified: Date): Promise<void> {
    return this.#call("setModified", path, modified.getTime())
  }

  resolvePath(base: string, path: string): string {
    return posix.resolve(base, path)
  }

  /** The shell asks without waiting, which no other thread can answer; it then lists directories. */
  getAllPaths(): string[] {
    return []
  }
}

/** One character for each byte. */
export function latin1Of(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1")
}

export interface EntryWithType {
  name: string
  isFile: boolean
  isDirectory: boolean
  isSymbolicLink: boolean
}

function entryFor({ name, type }: DiskEntry): EntryWithType {
  return { name, ...typeFlags(type) }
}

function statFor(stat: DiskStat): FsStat {
  const { mode, size, id } = stat
  return { ...typeFlags(stat.type), mode, size, mtime: new Date(stat.modifiedMs), dev: 1, ino: id }
}

function typeFlags(type: DiskStat["type"]) {
  return {
    isFile: type === "file",
    isDirectory: type === "directory",
    isSymbolicLink: type === "symlink",
  }
}

export function encodingOf(options: Encoding): BufferEncoding {
  return (typeof options === "string" ? options : options?.encoding) ?? "utf8"
}

function isText(encoding: BufferEncoding): boolean {
  return encoding === "utf8" || encoding === "utf-8"
}

/** A copy in memory of its own, which can move to another thread. */
export function bytesOf(content: FileContent, encoding: BufferEncoding): Uint8Array<ArrayBuffer> {
  if (typeof content !== "string") return new Uint8Array(content)
  // The shell calls long text binary when it starts with ASCII.
  if (isText(encoding) || /[^\x00-\xff]/.test(content)) return bytesOfText(content)
  const bytes = new Uint8Array(Buffer.byteLength(content, encoding))
  Buffer.from(bytes.buffer).write(content, encoding)
  return bytes
}
