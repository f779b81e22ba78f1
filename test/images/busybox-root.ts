import { execFile } from "node:child_process"
import { chmod, copyFile, mkdir, symlink, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { promisify } from "node:util"

const run = promisify(execFile)

/**
 * A root file system as Alpine's: one program with many names, that needs no library, and nothing of GNU
 * or of its C library. `merged` has one directory of programs, with links from where others look.
 */
export async function makeBusyboxRoot(
  root: string,
  layout: "plain" | "merged" = "plain",
): Promise<string> {
  const program = await findBusybox()
  const { stdout } = await run(program, ["--list-full"])
  const applets = stdout.split("\n").filter((path) => path !== "" && path !== "bin/busybox")
  for (const name of ["etc", "lib", "root", "tmp", "usr/bin"]) {
    await mkdir(join(root, name), { recursive: true })
  }
  await chmod(join(root, "tmp"), 0o1777)
  if (layout === "merged") await mergePrograms(root)
  else await mkdir(join(root, "bin"))
  await copyFile(program, join(root, "bin/busybox"))
  for (const applet of applets) {
    await mkdir(dirname(join(root, applet)), { recursive: true })
    await symlink("/bin/busybox", join(root, applet)).catch(unlessThere)
  }
  await writeFile(join(root, "etc/passwd"), "root:x:0:0:root:/root:/bin/ash\n")
  await writeFile(join(root, "etc/image-name"), "busybox\n")
  return root
}

async function mergePrograms(root: string): Promise<void> {
  await mkdir(join(root, "usr/sbin"))
  await symlink("usr/bin", join(root, "bin"))
  await symlink("usr/sbin", join(root, "sbin"))
}

function unlessThere(error: unknown): void {
  if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error
}

async function findBusybox(): Promise<string> {
  const { stdout } = await run("sh", ["-c", "command -v busybox"]).catch(() => ({ stdout: "" }))
  const path = stdout.trim()
  if (path === "") throw new Error("busybox is needed: apt-get install busybox-static")
  const isStatic = await run("ldd", [path]).then(
    () => false,
    () => true,
  )
  if (isStatic) return path
  throw new Error(`${path} needs libraries; apt-get install busybox-static has one that does not`)
}
