import { execFile, spawn } from "node:child_process"
import { chmod, mkdir, symlink } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import type Docker from "dockerode"

/** Nothing is pulled: its programs are this machine's, which `testBinds` shows to a container. */
export const testImage = "toolkeep-test:latest"
/** Without any program. */
export const emptyImage = "toolkeep-empty:latest"

export const testBinds = ["/usr:/usr:ro", "/etc/alternatives:/etc/alternatives:ro"]

const directories = ["etc", "home/user", "proc", "run", "sys", "tmp", "usr", "var/tmp"]
const links = ["bin", "sbin", "lib", "lib64"]

export async function importImages(docker: Docker, directory: string): Promise<void> {
  const root = join(directory, "image")
  for (const path of directories) await mkdir(join(root, path), { recursive: true })
  await chmod(join(root, "tmp"), 0o1777)
  await importDirectory(docker, root, emptyImage)
  for (const name of links) await symlink(`usr/${name}`, join(root, name))
  await importDirectory(docker, root, testImage)
  await promisify(execFile)("rm", ["-r", root])
}

export async function importDirectory(docker: Docker, root: string, image: string): Promise<void> {
  const [repo, tag] = image.split(":")
  const tar = spawn("tar", ["-C", root, "-c", "."], { stdio: ["ignore", "pipe", "inherit"] })
  const progress = await docker.importImage(tar.stdout, { repo, tag })
  await new Promise<void>((resolve, reject) => {
    docker.modem.followProgress(progress, (error) => (error ? reject(error) : resolve()))
  })
}
