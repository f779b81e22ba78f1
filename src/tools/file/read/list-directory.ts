import {
  type CallContext,
  type Listing,
  type ListingEntry,
  listingResult,
  type Workspace,
} from "../../../contract/index.ts"
import { WorkspaceError } from "../../../sandbox/index.ts"
import { takeFitting } from "../../take-fitting.ts"
import { pathInside } from "./path-inside.ts"

export interface ListingRequest {
  /** As the caller named it: the entries' paths start with it. */
  readonly path: string
  readonly limit: number
  readonly recursive: boolean
  readonly context: CallContext
}

/**
 * The entries of a directory, and with `recursive` of all below it, nearest first.
 * Links are listed, never followed, so a walk ends even where links make a circle.
 */
export async function listDirectory(
  workspace: Workspace,
  request: ListingRequest,
): Promise<Listing> {
  const { path, limit, recursive } = request
  const found: ListingEntry[] = [...(await readEntries(workspace, request, path))]
  for (let next = 0; recursive && next < found.length && found.length <= limit; next += 1) {
    const entry = found[next]
    if (entry?.type !== "directory") continue
    found.push(...(await readBelow(workspace, request, entry.path)))
  }
  const entries = takeFitting(found.slice(0, limit))
  return listingResult(path, entries, {
    entryCount: entries.length,
    truncated: entries.length < found.length,
  })
}

async function readEntries(
  workspace: Workspace,
  request: ListingRequest,
  path: string,
): Promise<readonly ListingEntry[]> {
  // One more than wanted tells whether there are more.
  const options = { limit: request.limit + 1, signal: request.context.signal }
  const entries = await workspace.readdir(path, options)
  return entries.map(({ name, type }) => ({ name, path: pathInside(path, name), type }))
}

/** A directory below that can't be read, or is gone by now, does not spoil the rest. */
async function readBelow(
  workspace: Workspace,
  request: ListingRequest,
  path: string,
): Promise<readonly ListingEntry[]> {
  try {
    return await readEntries(workspace, request, path)
  } catch (error) {
    if (!(error instanceof WorkspaceError)) throw error
    request.context.warn(error.message)
    return []
  }
}
