import type { Stats } from "node:fs"
import {
  chmod,
  constants,
  type FileHandle,
  lchown,
  lstat,
  lutimes,
  mkdir,
  open,
  readlink,
  symlink,
  utimes,
} from "node:fs/promises"
import { WorkspaceError } from "../../../host/workspace-error.ts"
import { entryIn, type FileScope, type Held, hold, namesIn } from "./hold.ts"

const { O_CREAT, O_EXCL, O_NOCTTY, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY } = constants
/** Between two steps of this size an abort is noticed. */
const stepBytes = 1024 * 1024
const permissionBits = 0o7777

export interface Copying {
  readonly from: string | Buffer
  /** Must be free. */
  readonly to: string | Buffer
  readonly scope: FileScope
  /** For the error. */
  readonly asked: string
}

/** A file, a link or a tree with permissions, times and, where the user may, owners. */
export async function copyTree(copying: Copying): Promise<void> {
  const { from, to, scope, asked } = copying
  scope.signal.throwIfAborted()
  const stats = await lstat(from)
  if (stats.isSymbolicLink()) {
    await symlink(await readlink(from, { encoding: "buffer" }), to)
    await keepOwner(to, stats)
    return lutimes(to, stats.atimeMs / 1000, stats.mtimeMs / 1000)
  }
  if (!stats.isDirectory() && !stats.isFile()) throw new WorkspaceError("not-file", asked)
  await using held = await hold(from, scope.root, asked)
  if (held.stats.isDirectory()) await copyDirectory(held, copying)
  else await copyContent(held.at, held.stats, copying)
}

async function copyDirectory(source: Held, { to, scope, asked }: Copying): Promise<void> {
  await mkdir(to, 0o700)
  await using made = await hold(to, scope.root, asked)
  for (const name of await namesIn(source)) {
    const [from, into] = [entryIn(source, name), entryIn(made, name)]
    await copyTree({ from, to: into, scope, asked })
  }
  await keepOwner(made.at, source.stats)
  await chmod(made.at, source.stats.mode & permissionBits)
  await utimes(made.at, source.stats.atimeMs / 1000, source.stats.mtimeMs / 1000)
}

async function copyContent(at: string, stats: Stats, { to, scope }: Copying): Promise<void> {
  await using source = await open(at, O_RDONLY | O_NONBLOCK | O_NOCTTY)
  await using target = await open(to, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)
  await copyBytes(source, target, scope.signal)
  await keepOwner(to, stats)
  await target.chmod(stats.mode & permissionBits)
  await target.utimes(stats.atimeMs / 1000, stats.mtimeMs / 1000)
}

async function copyBytes(source: FileHandle, target: FileHandle, signal: AbortSignal) {
  const bytes = new Uint8Array(stepBytes)
  for (;;) {
    signal.throwIfAborted()
    const { bytesRead } = await source.read(bytes, 0, stepBytes, null)
    if (bytesRead === 0) return
    for (let written = 0; written < bytesRead; ) {
      written += (await target.write(bytes, written, bytesRead - written)).bytesWritten
    }
  }
}

/** Root may copy another user's files; they should stay theirs. */
async function keepOwner(at: string | Buffer, { uid, gid }: Stats): Promise<void> {
  if (process.getuid?.() === uid && process.getgid?.() === gid) return
  await lchown(at, uid, gid).catch(() => {})
}
