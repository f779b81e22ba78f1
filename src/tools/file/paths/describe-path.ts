import {
  type CallContext,
  type FileStat,
  limits,
  requirePath,
  trimEndToCharacter,
  type Workspace,
} from "../../../contract/index.ts"
import { WorkspaceError } from "../../../sandbox/index.ts"
import { guessMimeType } from "./guess-mime-type.ts"
import { readLink } from "./read-link.ts"

/** What file.info answers. */
export async function describePath(shown: string, context: CallContext) {
  const { signal } = context
  const workspace = await context.workspace()
  const path = requirePath(shown, workspace, "path")
  const target = await readLink(workspace, path, signal)
  const link = { is_link: target !== null, ...(target === null ? {} : { link_target: target }) }
  const stat = await statOrNull(workspace, path, { signal, isLink: target !== null })
  if (stat === null) return { kind: "info" as const, path: shown, type: "link" as const, ...link }
  return {
    kind: "info" as const,
    path: shown,
    type: stat.type,
    ...link,
    size: stat.size,
    modified: new Date(stat.modifiedMs).toISOString(),
    ...(workspace.can.fileModes ? { mode: stat.mode.toString(8).padStart(3, "0") } : {}),
    ...(stat.type === "file" ? await describeContent(workspace, path, signal) : {}),
  }
}

/** Null for a link that leads nowhere. */
async function statOrNull(
  workspace: Workspace,
  path: string,
  { signal, isLink }: { readonly signal: AbortSignal; readonly isLink: boolean },
): Promise<FileStat | null> {
  try {
    return await workspace.stat(path, { signal })
  } catch (error) {
    const nowhere =
      error instanceof WorkspaceError && ["not-found", "link-loop"].includes(error.code)
    if (isLink && nowhere) return null
    throw error
  }
}

async function describeContent(workspace: Workspace, path: string, signal: AbortSignal) {
  const length = limits.file.guessBytes
  const start = await workspace.readFileBuffer(path, { length, signal })
  // Where the piece ends says nothing about the text, which may go on in the middle of a character.
  const whole = start.length < length ? start : trimEndToCharacter(start)
  const { mimeType, isText } = guessMimeType(path, whole)
  return { mime_type: mimeType, is_text: isText }
}
