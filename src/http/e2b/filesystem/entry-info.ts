import { posix } from "node:path"
import type { FileType, Workspace } from "../../../contract/index.ts"
import type { FileDescription } from "../../sandbox-api/describe-files.ts"

/** A file as E2B's clients know it, in the JSON form of a protocol buffer. */
export interface EntryInfo {
  readonly name: string
  readonly type: string
  readonly path: string
  readonly size: string
  readonly mode: number
  readonly permissions: string
  readonly owner: string
  readonly group: string
  readonly modifiedTime: string
  readonly symlinkTarget?: string
}

const types: Readonly<Record<FileType, string>> = {
  file: "FILE_TYPE_FILE",
  directory: "FILE_TYPE_DIRECTORY",
  symlink: "FILE_TYPE_SYMLINK",
  other: "FILE_TYPE_UNSPECIFIED",
}
const letters: Readonly<Record<FileType, string>> = {
  file: "-",
  directory: "d",
  symlink: "L",
  other: "?",
}

/** A link has the type of what it leads to, as in E2B's own service; one that leads nowhere is a link. */
export async function entryInfo(
  workspace: Workspace,
  { path, type, linkTarget, ...file }: FileDescription,
  signal: AbortSignal,
): Promise<EntryInfo> {
  const target = linkTarget === null ? null : posix.resolve(posix.dirname(path), linkTarget)
  const followed =
    type === "symlink" ? await workspace.stat(path, { signal }).catch(() => null) : null
  return {
    ...{ name: posix.basename(path), type: types[followed?.type ?? type], path },
    ...{ size: String(file.size), mode: file.mode, permissions: permissionsOf(type, file.mode) },
    ...{ owner: file.owner, group: file.group },
    modifiedTime: new Date(file.modifiedMs).toISOString(),
    ...(target !== null && { symlinkTarget: target }),
  }
}

/** As Go writes them, such as "drwxr-xr-x". */
function permissionsOf(type: FileType, mode: number): string {
  const bits = [..."rwxrwxrwx"].map((letter, at) => (mode & (1 << (8 - at)) ? letter : "-"))
  return `${letters[type]}${bits.join("")}`
}
