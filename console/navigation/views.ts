/** The pages that the navigation leads to, with the second key after g. */
export const views = [
  { path: "/", name: "Now", key: "n" },
  { path: "/waiting", name: "Waiting", key: "w" },
  { path: "/b", name: "Sandboxes", key: "b" },
  { path: "/try", name: "Try a tool", key: "t" },
  { path: "/policy", name: "Policy", key: "p" },
  { path: "/hosts", name: "Hosts", key: "h" },
  { path: "/settings", name: "Settings", key: "," },
] as const

export function sessionPath(session: string): string {
  return `/s/${encodeURIComponent(session)}`
}

/** The session as it was at one of its entries. */
export function replayPath(session: string, entry: number): string {
  return `${sessionPath(session)}/at/${entry}`
}

/** Of one call, of one turn, or of the whole session. */
export function changesPath(
  session: string,
  of: { readonly call?: string; readonly turn?: number },
): string {
  const [[name, value] = []] = Object.entries(of)
  const query = name === undefined ? "" : `?${name}=${encodeURIComponent(String(value))}`
  return `${sessionPath(session)}/changes${query}`
}

export function sandboxPath(session: string, sandbox: string): string {
  return `/b/${encodeURIComponent(session)}/${encodeURIComponent(sandbox)}`
}

/** The session that an address is about; null for none. */
export function sessionOf(path: string): string | null {
  const found = /^\/[sb]\/([^/]+)/.exec(path)?.[1]
  return found === undefined ? null : decodeURIComponent(found)
}

/** Whether an address belongs to a view of the navigation. */
export function isWithin(path: string, view: string): boolean {
  return view === "/" ? path === "/" : path === view || path.startsWith(`${view}/`)
}

/** Where Escape leads from an address. */
export function pathAbove(path: string): string {
  const session = sessionOf(path)
  const isSandbox = path.startsWith("/b/")
  const isInSession = /^\/s\/[^/]+\/./.test(path)
  return session !== null && (isSandbox || isInSession) ? sessionPath(session) : "/"
}

/** The session before or after the current one; the first where none is. */
export function sessionBeside(
  names: readonly string[],
  current: string | null,
  step: -1 | 1,
): string | undefined {
  const at = current === null ? -1 : names.indexOf(current)
  return at === -1 ? names[0] : names[(at + step + names.length) % names.length]
}
