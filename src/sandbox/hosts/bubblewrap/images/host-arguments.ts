import { existsSync, readlinkSync } from "node:fs"

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

/** Merged systems have links to /usr here, others have directories. */
export function linkOrBind(path: string): string[] {
  if (!existsSync(path)) return []
  try {
    return ["--symlink", readlinkSync(path), path]
  } catch {
    return ["--ro-bind", path, path]
  }
}
