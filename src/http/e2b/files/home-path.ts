/** A path as E2B's clients write it: from the home directory on, which may be called "~". */
export function homePath(path: string | undefined): string {
  if (path === undefined || path === "" || path === "~") return "."
  return path.startsWith("~/") ? path.slice(2) || "." : path
}
