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
import type { DiskEntry, DiskStat } from "../disk/disk-calls.ts"
import { bytesOfText, textOfBytes } from "./byte-text.ts"
import type { LimitErrors } from "./limit-errors.ts"
import type { RemoteDisk } from "./remote-disk.ts"

type Encoding = BufferEncoding | { encoding?: BufferEncoding | null } | undefined

/** The disk in the form in which the shell uses files. */
export class ShellFileSystem implements IFileSystem {
  readonly #disk: RemoteDisk
  readonly #errors: LimitErrors

  constructor(disk: RemoteDisk, errors: LimitErrors) {
    this.#disk = disk
    this.#errors = errors
  }

  async readFile(path: string, options?: Encoding): Promise<string> {
    const bytes = await this.#disk.read(path)
    const encoding = encodingOf(options)
    return isText(encoding) ? textOfBytes(bytes) : Buffer.from(bytes).toString(encoding)
  }

  async readFileBytes(path: string): Promise<ByteString> {
    const bytes = await this.#disk.read(path)
    return latin1Of(bytes) as unknown as ByteString
  }

  readFileBuffer(path: string): Promise<Uint8Array> {
    return this.#disk.read(path)
  }

  writeFile(path: string, content: FileContent, options?: Encoding): Promise<void> {
    const bytes = bytesOf(content, encodingOf(options))
    return this.#explain(this.#disk.write(path, bytes), content, options)
  }

  appendFile(path: string, content: FileContent, options?: Encoding): Promise<void> {
    const bytes = bytesOf(content, encodingOf(options))
    return this.#explain(this.#disk.append(path, bytes), content, options)
  }

  exists(path: string): Promise<boolean> {
    return this.#disk.exists(path)
  }

  async stat(path: string): Promise<FsStat> {
    return statFor(await this.#disk.stat(path))
  }

  async lstat(path: string): Promise<FsStat> {
    return statFor(await this.#disk.lstat(path))
  }

  mkdir(path: string, options: MkdirOptions = {}): Promise<void> {
    return this.#disk.makeDirectory(path, { parents: options.recursive ?? false })
  }

  async readdir(path: string): Promise<string[]> {
    return (await this.#disk.list(path)).map((entry) => entry.name)
  }

  async readdirWithFileTypes(path: string): Promise<EntryWithType[]> {
    return (await this.#disk.list(path)).map(entryFor)
  }

  rm(path: string, options: RmOptions = {}): Promise<void> {
    const { recursive = false, force = false } = options
    return this.#disk.remove(path, { recursive, force })
  }

  cp(source: string, destination: string, options: CpOptions = {}): Promise<void> {
    return this.#disk.copy(source, destination, { recursive: options.recursive ?? false })
  }

  mv(source: string, destination: string): Promise<void> {
    return this.#disk.rename(source, destination)
  }

  chmod(path: string, mode: number): Promise<void> {
    return this.#disk.setMode(path, mode)
  }

  symlink(target: string, path: string): Promise<void> {
    return this.#disk.symlink(target, path)
  }

  link(existing: string, path: string): Promise<void> {
    return this.#disk.link(existing, path)
  }

  readlink(path: string): Promise<string> {
    return this.#disk.readLink(path)
  }

  realpath(path: string): Promise<string> {
    return this.#disk.realPath(path)
  }

  utimes(path: string, _accessed: Date, modified: Date): Promise<void> {
    return this.#disk.setModified(path, modified.getTime())
  }

  resolvePath(base: string, path: string): string {
    return posix.resolve(base, path)
  }

  /** The shell asks without waiting, which no other thread can answer; it then lists directories. */
  getAllPaths(): string[] {
    return []
  }

  /**
   * The shell opens the file of a redirection by writing no bytes to it. Where it does not expect
   * that to fail, only this error lets it preserve what the script has printed.
   */
  async #explain(write: Promise<void>, content: FileContent, options: Encoding): Promise<void> {
    try {
      await write
    } catch (error) {
      if (content !== "" || encodingOf(options) !== "binary" || this.#errors.is(error)) throw error
      throw this.#errors.create({ stdout: "", stderr: `bash: ${(error as Error).message}\n` })
    }
  }
}

/** One character for each byte. */
export function latin1Of(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1")
}

interface EntryWithType {
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

function encodingOf(options: Encoding): BufferEncoding {
  return (typeof options === "string" ? options : options?.encoding) ?? "utf8"
}

function isText(encoding: BufferEncoding): boolean {
  return encoding === "utf8" || encoding === "utf-8"
}

/** A copy in memory of its own, which can move to another thread. */
function bytesOf(content: FileContent, encoding: BufferEncoding): Uint8Array<ArrayBuffer> {
  if (typeof content !== "string") return new Uint8Array(content)
  // The shell calls long text binary when it starts with ASCII.
  if (isText(encoding) || /[^\x00-\xff]/.test(content)) return bytesOfText(content)
  const bytes = new Uint8Array(Buffer.byteLength(content, encoding))
  Buffer.from(bytes.buffer).write(content, encoding)
  return bytes
}
