import { VirtualDisk } from "./virtual-disk.ts"

export const home = "/home/user"
export const temporary = "/tmp"

/** A disk as a user finds it after logging in: a home, a place for temporary files, nothing else of theirs. */
export function createDisk(limitBytes: number): VirtualDisk {
  const disk = new VirtualDisk(limitBytes)
  for (const path of ["/bin", "/dev", "/home", "/usr", "/usr/bin"]) {
    disk.makeSystemDirectory(path, 0o755)
  }
  disk.makeSystemDirectory(temporary, 0o1777)
  disk.makeDevice("/dev/null")
  disk.makeHome(home)
  return disk
}
