import { existsSync, readlinkSync } from "node:fs"

/** Read-only from this machine, where it has them: programs, and what programs need to start. */
const systemFiles = ["/usr", "/opt"]
const systemLinks = ["/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"]
const settings = [
  "/etc/alternatives",
  "/etc/ld.so.cache",
  "/etc/ld.so.conf",
  "/etc/ld.so.conf.d",
  "/etc/localtime",
  "/etc/ssl",
  "/etc/ca-certificates",
  "/etc/mime.types",
  "/etc/protocols",
  "/etc/services",
]

/** Shows this machine's programs in a sandbox. */
export function hostArguments(): string[] {
  return [
    ...systemFiles.filter(existsSync).flatMap((path) => ["--ro-bind", path, path]),
    ...systemLinks.flatMap(linkOrBind),
    ...settings.filter(existsSync).flatMap((path) => ["--ro-bind", path, path]),
  ]
}

/** Merged systems have links to /usr here, others have directories. */
function linkOrBind(path: string): string[] {
  if (!existsSync(path)) return []
  try {
    return ["--symlink", readlinkSync(path), path]
  } catch {
    return ["--ro-bind", path, path]
  }
}
