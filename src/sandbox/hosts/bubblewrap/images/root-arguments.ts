import { type Dirent, existsSync, lstatSync, readdirSync, readlinkSync } from "node:fs"
import { join } from "node:path"
import { linkOrBind } from "../../../confine/confine-program.ts"

/** What a sandbox has of its own, whatever the image has there. */
const own: Readonly<Record<string, readonly string[] | "all">> = {
  "/proc": "all",
  "/dev": "all",
  "/sys": "all",
  "/tmp": "all",
  "/run": "all",
  "/home": ["user"],
}

interface TreeAdditions {
  /** Names in /etc that are shown by others. */
  readonly settings: readonly string[]
  /** What /bin/bash leads to, in an image that has none. */
  readonly bash: string | null
}

/**
 * Shows a root file system read-only, one entry at a time: bwrap makes the mount points for what a sandbox
 * has of its own, and can't do so in a directory that it shows as a whole. None of them lies
 * behind a link of the image, which would be followed to this machine's files.
 */
export function treeArguments(root: string, { settings, bash }: TreeAdditions): string[] {
  const programs = bash === null ? null : programsDirectory(root)
  const shown = readdirSync(root, { withFileTypes: true }).flatMap((entry) => {
    const path = `/${entry.name}`
    if (path === "/etc") return etcArguments(root, settings)
    if (programs?.split("/")[1] === entry.name) return programsArguments(root, programs)
    const taken = own[path]
    if (taken === undefined) return show(entry, root, path)
    return taken === "all" ? [] : showInside(root, path, taken)
  })
  return bash && programs ? [...shown, "--symlink", bash, `${programs}/bash`] : shown
}

/** Where /bin/bash has to be put; null where that is neither of the default directories. */
function programsDirectory(root: string): "/bin" | "/usr/bin" | null {
  const bin = lstatSync(join(root, "bin"), { throwIfNoEntry: false })
  if (!bin || bin.isDirectory()) return "/bin"
  const isMerged = bin.isSymbolicLink() && /^\/?usr\/bin\/?$/.test(readlinkSync(join(root, "bin")))
  const isPlain = isDirectory(join(root, "usr")) && isDirectory(join(root, "usr/bin"))
  return isMerged && isPlain ? "/usr/bin" : null
}

/** One entry at a time, so that there is room for another. */
function programsArguments(root: string, directory: "/bin" | "/usr/bin"): string[] {
  const above = directory === "/usr/bin" ? showInside(root, "/usr", ["bin"]) : []
  return [...above, ...showInside(root, directory, ["bash"])]
}

/** As a whole where each of our settings finds a file to stand in front of. */
function etcArguments(root: string, settings: readonly string[]): string[] {
  const etc = join(root, "etc")
  const isWhole =
    lstatSync(etc).isDirectory() && settings.every((name) => isPlainFile(join(etc, name)))
  return isWhole ? ["--ro-bind", etc, "/etc"] : showInside(root, "/etc", settings)
}

function showInside(root: string, path: string, taken: readonly string[]): string[] {
  const directory = join(root, path)
  if (!lstatSync(directory).isDirectory()) return []
  return readdirSync(directory, { withFileTypes: true })
    .filter(({ name }) => !taken.includes(name))
    .flatMap((entry) => show(entry, directory, `${path}/${entry.name}`))
}

/** Pipes, sockets and devices are not part of an image: a process that opens one reaches others that have it. */
function show(entry: Dirent, parent: string, path: string): string[] {
  const source = join(parent, entry.name)
  if (entry.isSymbolicLink()) return ["--symlink", readlinkSync(source), path]
  return entry.isDirectory() || entry.isFile() ? ["--ro-bind", source, path] : []
}

function isDirectory(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
}

function isPlainFile(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() ?? false
}

/** Read-only from this machine, where it has them. */
const systemFiles = ["/usr", "/opt"]
const systemLinks = ["/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"]

/** Shows this machine's programs in a sandbox, with an /etc that was prepared for them. */
export function hostArguments(etc: string): string[] {
  return [
    ...systemFiles.filter(existsSync).flatMap((path) => ["--ro-bind", path, path]),
    ...systemLinks.flatMap(linkOrBind),
    ...["--ro-bind", etc, "/etc"],
  ]
}
