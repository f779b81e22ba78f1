import { execFile } from "node:child_process"
import { copyFile, mkdir, realpath, rm, symlink, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { promisify } from "node:util"

const run = promisify(execFile)

/** All that an agent needs inside, and nothing else. */
const programs = [
  ...["basename", "cat", "chmod", "cp", "dirname", "env", "head", "id", "install", "ls", "mkdir"],
  ...["mkfifo", "mktemp", "mv", "realpath", "rm", "rmdir", "seq", "sleep", "stat", "tail", "touch"],
  ...["bash", "find", "grep", "tar"],
]

/** A root file system of this machine's own programs, a few megabytes in size. */
export async function makeSmallRoot(root: string): Promise<string> {
  await mkdir(join(root, "usr/bin"), { recursive: true })
  await mkdir(join(root, "etc"))
  await symlink("usr/bin", join(root, "bin"))
  await writeFile(join(root, "etc/image-name"), "small\n")
  for (const name of programs) {
    const { stdout } = await run("bash", ["-c", `type -P ${name}`])
    const program = await realpath(stdout.trim())
    await copyFile(program, join(root, "usr/bin", name))
    for (const library of await librariesOf(program)) {
      const target = join(root, library)
      await mkdir(dirname(target), { recursive: true })
      await copyFile(library, target)
    }
  }
  return root
}

/** A tar of a directory, with more options for tar before it. */
export async function pack(root: string, file: string, options: readonly string[] = []) {
  await rm(file, { force: true })
  await run("tar", [...options, "-C", root, "-cf", file, "."])
  return file
}

async function librariesOf(program: string): Promise<readonly string[]> {
  const { stdout } = await run("ldd", [program])
  return [...stdout.matchAll(/(\/\S+) \(0x/g)].map(([, path]) => path ?? "")
}
