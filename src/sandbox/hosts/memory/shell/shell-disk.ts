import type { OutputChunk } from "../../../../contract/index.ts"
import type { DiskEntry, DiskStat } from "../disk/disk-calls.ts"
import type { RemoteDisk } from "./remote-disk.ts"

const binaryDirectories: readonly string[] = ["/bin", "/usr/bin"]
const streams: Readonly<Record<string, OutputChunk["stream"]>> = {
  "/dev/stdout": "stdout",
  "/dev/stderr": "stderr",
}
const commandText = "A command of the virtual shell.\n"
const commandStat: DiskStat = {
  type: "file",
  size: commandText.length,
  mode: 0o755,
  modifiedMs: 0,
  id: 0,
}

/**
 * The disk, and what exists only while a shell runs: its commands as programs and its output streams
 * as devices. Answered here, because the shell looks a program up each time it runs one.
 */
export function shellDisk(disk: RemoteDisk, commands: readonly string[]) {
  /** What commands wrote to /dev/stdout and /dev/stderr by name. */
  const written: OutputChunk[] = []
  const programs = new Set(
    commands.flatMap((name) => binaryDirectories.map((directory) => `${directory}/${name}`)),
  )
  const shown = commands.filter((name) => !name.startsWith("_")).sort()
  const entries: readonly DiskEntry[] = shown.map((name) => ({ name, type: "file" }))

  const write = (how: "write" | "append") => async (path: string, bytes: Uint8Array) => {
    const stream = streams[path]
    if (stream === undefined) await disk[how](path, bytes)
    else written.push({ stream, bytes })
  }

  const extended: RemoteDisk = {
    ...disk,
    exists: async (path) => programs.has(path) || disk.exists(path),
    stat: async (path) => (programs.has(path) ? commandStat : disk.stat(path)),
    lstat: async (path) => (programs.has(path) ? commandStat : disk.lstat(path)),
    realPath: async (path) => (programs.has(path) ? path : disk.realPath(path)),
    read: async (path) =>
      programs.has(path) ? new TextEncoder().encode(commandText) : disk.read(path),
    list: async (path) => (binaryDirectories.includes(path) ? entries : disk.list(path)),
    write: write("write"),
    append: write("append"),
  }
  return { disk: extended, written }
}
