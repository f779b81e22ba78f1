import type { ByteString, FileContent, FsStat } from "just-bash"
import type { OutputChunk } from "../../../../contract/index.ts"
import type { LimitErrors } from "./limit-errors.ts"
import {
  bytesOf,
  type CallDisk,
  type Encoding,
  type EntryWithType,
  encodingOf,
  RemoteFileSystem,
} from "./remote-file-system.ts"

const binaryDirectories: readonly string[] = ["/bin", "/usr/bin"]
const streams: Readonly<Record<string, OutputChunk["stream"]>> = {
  "/dev/stdout": "stdout",
  "/dev/stderr": "stderr",
}

/**
 * The disk, and what exists only while a shell runs: its commands as programs and its output streams
 * as devices. Answered here, because the shell looks a program up each time it runs one.
 */
export class ShellFileSystem extends RemoteFileSystem {
  readonly #commands: ReadonlySet<string>
  readonly #errors: LimitErrors
  /** What commands wrote to /dev/stdout and /dev/stderr by name. */
  readonly written: OutputChunk[] = []

  constructor(call: CallDisk, commands: ReadonlySet<string>, errors: LimitErrors) {
    super(call)
    this.#commands = commands
    this.#errors = errors
  }

  override async exists(path: string): Promise<boolean> {
    return this.#isCommand(path) || super.exists(path)
  }

  override async stat(path: string): Promise<FsStat> {
    return this.#isCommand(path) ? commandStat() : super.stat(path)
  }

  override async lstat(path: string): Promise<FsStat> {
    return this.#isCommand(path) ? commandStat() : super.lstat(path)
  }

  override async realpath(path: string): Promise<string> {
    return this.#isCommand(path) ? path : super.realpath(path)
  }

  override async readFile(path: string, options?: Encoding): Promise<string> {
    return this.#isCommand(path) ? commandText : super.readFile(path, options)
  }

  override async readFileBytes(path: string): Promise<ByteString> {
    if (this.#isCommand(path)) return commandText as unknown as ByteString
    return super.readFileBytes(path)
  }

  override async readFileBuffer(path: string): Promise<Uint8Array> {
    return this.#isCommand(path) ? bytesOf(commandText, "utf8") : super.readFileBuffer(path)
  }

  override async readdir(path: string): Promise<string[]> {
    return (await this.readdirWithFileTypes(path)).map((entry) => entry.name)
  }

  override async readdirWithFileTypes(path: string): Promise<EntryWithType[]> {
    if (!binaryDirectories.includes(path)) return super.readdirWithFileTypes(path)
    const flags = { isFile: true, isDirectory: false, isSymbolicLink: false }
    const shown = [...this.#commands].filter((name) => !name.startsWith("_"))
    return shown.sort().map((name) => ({ name, ...flags }))
  }

  override async writeFile(path: string, content: FileContent, options?: Encoding): Promise<void> {
    if (this.#writeToStream(path, content, options)) return
    await this.#explain(super.writeFile(path, content, options), content, options)
  }

  override async appendFile(path: string, content: FileContent, options?: Encoding): Promise<void> {
    if (this.#writeToStream(path, content, options)) return
    await this.#explain(super.appendFile(path, content, options), content, options)
  }

  #isCommand(path: string): boolean {
    const slash = path.lastIndexOf("/")
    return (
      binaryDirectories.includes(path.slice(0, slash)) && this.#commands.has(path.slice(slash + 1))
    )
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

  #writeToStream(path: string, content: FileContent, options: Encoding): boolean {
    const stream = streams[path]
    if (stream === undefined) return false
    this.written.push({ stream, bytes: bytesOf(content, encodingOf(options)) })
    return true
  }
}

const commandText = "A command of the virtual shell.\n"

function commandStat(): FsStat {
  const size = commandText.length
  const mtime = new Date(0)
  return { isFile: true, isDirectory: false, isSymbolicLink: false, mode: 0o755, size, mtime }
}
