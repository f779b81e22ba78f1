import { execFile } from "node:child_process"
import { chmodSync, constants, openSync, rmSync } from "node:fs"
import { Socket } from "node:net"
import { join } from "node:path"
import { promisify } from "node:util"

/** This process's ends of the two pipes through which it speaks with the agent. */
export type Channel = Awaited<ReturnType<typeof openChannel>>

const run = promisify(execFile)
const names = ["requests", "answers"] as const
const { O_NONBLOCK, O_RDONLY, O_RDWR } = constants

/**
 * Pipes in the exchange directory and not the engine's own streams: they are faster by far, and a
 * command does not notice when the engine ends. The agent ends when this process does.
 */
export async function openChannel(directory: string) {
  await run("mkfifo", ["-m", "644", "requests"], { cwd: directory })
  await run("mkfifo", ["-m", "622", "answers"], { cwd: directory })
  const open = (name: string, flags: number) => openSync(join(directory, name), flags | O_NONBLOCK)
  // Opened for both, because nobody reads it yet and the system would refuse to open it for less.
  const requests = new Socket({ fd: open("requests", O_RDWR), readable: false, writable: true })
  const answers = new Socket({ fd: open("answers", O_RDONLY), readable: true, writable: false })
  return {
    requests,
    answers,
    /**
     * Nobody opens the pipes any more, once the agent has: not by their names, which go, and not through the
     * agent's open files in /proc, where the pipe's own mode counts. Inside, their mode can't be changed: they
     * are on a read-only mount.
     */
    seal(): void {
      for (const path of names.map((name) => join(directory, name))) {
        chmodSync(path, 0)
        rmSync(path)
      }
    },
    close(): void {
      requests.destroy()
      answers.destroy()
    },
  }
}
