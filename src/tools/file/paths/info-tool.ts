import {
  type Capabilities,
  defineTool,
  type FileStat,
  object,
  requirePath,
  text,
  trimEndToCharacter,
  type Workspace,
} from "../../../contract/index.ts"
import { isTextType, mimeTypeOfBytes, mimeTypeOfName } from "../../../node/index.ts"
import { WorkspaceError } from "../../../sandbox/index.ts"
import { namedSandbox, sandboxArgument } from "../../arguments.ts"
import { fileLimits } from "../../limits.ts"
import { textFrom } from "../read/text-bytes.ts"

const modeField = {
  "mode?": { type: "string", description: 'Permissions in octal: "644".' },
} as const

/** file.info: what a path is, without its content. */
export function infoTool(can: Capabilities) {
  return defineTool({
    name: "file.info",
    title: "Look at a path",
    description:
      "Describes a path: type, size, last change and kind of content. Links are followed; " +
      'type "link" leads nowhere. Example: {"path": "dist/report.pdf"}.',
    input: object({
      path: text("A file or a directory."),
      "sandbox?": sandboxArgument,
    }),
    output: object({
      kind: { const: "info" },
      path: { type: "string" },
      type: { enum: ["file", "directory", "other", "link"] },
      is_link: { type: "boolean" },
      "link_target?": { type: "string" },
      "size?": { type: "integer", description: "In bytes." },
      "modified?": { type: "string", format: "date-time" },
      ...(can.fileModes && modeField),
      "mime_type?": { type: "string", description: "Of a file: guessed from how it starts." },
      "is_text?": { type: "boolean", description: "Whether a file starts as UTF-8 text." },
    }),
    groups: ["fs"],
    effects: ["read"],
    pathArguments: ["path"],
    paths: (input) => [{ path: input.path, mode: "read" }],
    sandbox: namedSandbox,
    async run({ path: shown }, context) {
      const { signal } = context
      const workspace = await context.workspace()
      const path = requirePath(shown, workspace, "path")
      const target = await readLink(workspace, path, signal)
      const link = { is_link: target !== null, ...(target === null ? {} : { link_target: target }) }
      const stat = await statOrNull(workspace, path, { signal, isLink: target !== null })
      if (stat === null) return { kind: "info", path: shown, type: "link", ...link }
      return {
        kind: "info",
        path: shown,
        type: stat.type,
        ...link,
        size: stat.size,
        modified: new Date(stat.modifiedMs).toISOString(),
        ...(can.fileModes ? { mode: stat.mode.toString(8).padStart(3, "0") } : {}),
        ...(stat.type === "file" ? await describeContent(workspace, path, signal) : {}),
      }
    },
  })
}

/** Where a symbolic link leads, as it says itself; null for what is not a link. */
export async function readLink(
  workspace: Workspace,
  path: string,
  signal: AbortSignal,
): Promise<string | null> {
  const script = `if [[ -L $FILE ]]; then readlink -- "$FILE"; fi`
  const { exitCode, stdout } = await workspace.exec(script, { env: { FILE: path }, signal })
  return exitCode === 0 && stdout !== "" ? stdout.replace(/\n$/, "") : null
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
  const length = fileLimits.guessBytes
  const start = await workspace.readFileBuffer(path, { length, signal })
  // The piece may end in the middle of a character, which says nothing about the text.
  return guessContent(path, start.length < length ? start : trimEndToCharacter(start))
}

/** From how a file starts, and for text from its name: a name alone proves nothing about bytes. */
export function guessContent(path: string, start: Uint8Array) {
  const is_text = textFrom(start) !== null
  const found = mimeTypeOfBytes(start)
  if (!is_text || (found !== null && !isTextType(found))) {
    return { mime_type: found ?? "application/octet-stream", is_text }
  }
  const named = mimeTypeOfName(path)
  const mime_type = named !== null && isTextType(named) ? named : (found ?? "text/plain")
  return { mime_type, is_text }
}
