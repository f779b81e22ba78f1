/** What this machine lacks, by the system's error code, and what to do about it. */
const lacking: Readonly<Record<string, string>> = {
  ENOSPC: "the disk is full. Free some space",
  EDQUOT: "the disk quota is used up. Free some space",
  EROFS: "the file system is read-only. Make it writable",
  EMFILE: "too many files are open. Close some, or raise the limit with ulimit -n",
  ENFILE: "too many files are open on this machine. Close some",
  ENOMEM: "no memory is left. Free some",
  EAGAIN: "this machine can't start another process now. End some",
  EIO: "the disk failed to read or write. Check it",
}

/** Errors about one file or directory, which are the machine's only when the file is Toolkeep's own. */
const unusable: Readonly<Record<string, string>> = {
  EACCES: "permission is denied. Change its owner or mode",
  EPERM: "permission is denied. Change its owner or mode",
  ENOTDIR: "a part of its path is not a directory. Choose another path",
  EEXIST: "something else has that name. Remove it, or choose another path",
  ENOENT: "it is not there and can't be made. Check that its directory is writable",
  EISDIR: "it is a directory. Remove it, or choose another path",
  ELOOP: "its path has too many links. Choose another path",
  ENAMETOOLONG: "its path is too long. Choose another path",
}

/** Why a system call failed and what to do, when the machine is the reason; null for every other error. */
export function machineProblem(error: unknown): string | null {
  return sentence(error, lacking)
}

/** The same for a file of Toolkeep's own, where nobody asked for the file by its path. */
export function ownFileProblem(error: unknown): string | null {
  return sentence(error, lacking) ?? sentence(error, unusable)
}

function sentence(error: unknown, table: Readonly<Record<string, string>>): string | null {
  const code = error instanceof Error && "code" in error ? error.code : null
  if (typeof code !== "string" || !Object.hasOwn(table, code)) return null
  return `${table[code]}, then try again.`
}
