import type { RouteAnswer } from "../../../src/api/index.ts"
import { client } from "../../state/client.ts"

export type Sandbox = RouteAnswer<"sandboxes.list">["sandboxes"][number]

/** Where a view works. */
export interface SandboxPlace {
  readonly session: string
  readonly sandbox: string
}

export async function sandboxesOf(session: string): Promise<readonly Sandbox[]> {
  return (await client().request("sandboxes.list", { session })).sandboxes
}

/** A path below a directory of the sandbox; "." is its home. */
export function pathIn(directory: string, name: string): string {
  if (directory === ".") return name
  return directory === "/" ? `/${name}` : `${directory}/${name}`
}

/** The directory of a path. */
export function directoryOf(path: string): string {
  const at = path.lastIndexOf("/")
  if (at === -1) return "."
  return at === 0 ? "/" : path.slice(0, at)
}

export interface TrailStep {
  readonly name: string
  readonly path: string
}

/** Each directory on the way to a path, with its own path. */
export function trailOf(path: string): readonly TrailStep[] {
  const start = path.startsWith("/") ? { name: "/", path: "/" } : { name: "home", path: "." }
  const trail: TrailStep[] = [start]
  let at = start.path
  for (const name of path.split("/")) {
    if (name === "" || name === ".") continue
    at = pathIn(at, name)
    trail.push({ name, path: at })
  }
  return trail
}

/** Text is shown; what has a zero byte, as no text has, is only downloaded. */
export function textOf(bytes: Uint8Array): string | null {
  if (bytes.includes(0)) return null
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes)
  } catch {
    return null
  }
}
