import { type CallContext, ToolFailure } from "../../contract/index.ts"
import { extensionOf, mimeTypeOfName } from "../../node/index.ts"
import type { Artifacts } from "../../store/index.ts"
import { artifactResult } from "../artifact-result.ts"
import { bytesFrom } from "../file/read/text-bytes.ts"
import { copyShared } from "./copy-shared.ts"
import { requireFilename } from "./filename.ts"
import { copyFailed, findShared } from "./find-shared.ts"
import type { ShareInput } from "./share-tool.ts"

export async function shareArtifact(input: ShareInput, context: CallContext, artifacts: Artifacts) {
  const wished = withoutFillers(input)
  const filename = wished.filename === undefined ? undefined : requireFilename(wished.filename)
  const described = wished.description === undefined ? {} : { description: wished.description }
  if (wished.path !== undefined && wished.content !== undefined) {
    throw new ToolFailure({
      kind: "invalid_args",
      message: "Both path and content are given; share the file or the text, not both in one call.",
      field: "content",
      expected: "either path or content",
    })
  }
  if (wished.path !== undefined) {
    const { artifact, source } = await shareFile(
      { ...wished, path: wished.path, filename },
      context,
      artifacts,
    )
    return { kind: "artifact" as const, artifact, source, ...described }
  }
  if (wished.content !== undefined) {
    const artifact = await shareText({ ...wished, content: wished.content, filename }, artifacts)
    return { kind: "artifact" as const, artifact, ...described }
  }
  throw new ToolFailure({
    kind: "invalid_args",
    message: "Nothing to share is given: pass the path of a file, or the content itself.",
    field: "path",
    expected: "either path or content",
  })
}

/** Models fill optional arguments that they don't use with blank text. */
function withoutFillers(input: ShareInput): Omit<ShareInput, "sandbox"> {
  const { path, content, filename, mime_type, description } = input
  const isBlank = (text: string | undefined) => text === undefined || text.trim() === ""
  return {
    ...(isBlank(path) ? {} : { path }),
    // White space alone is a text when there is nothing else to share.
    ...(content === undefined || (isBlank(content) && !isBlank(path)) ? {} : { content }),
    ...(isBlank(filename) ? {} : { filename }),
    ...(isBlank(mime_type) ? {} : { mime_type }),
    ...(isBlank(description) ? {} : { description }),
  } as Omit<ShareInput, "sandbox">
}

interface Wish {
  readonly filename: string | undefined
  readonly mime_type?: string
}

async function shareFile(
  wish: Wish & { readonly path: string },
  context: CallContext,
  artifacts: Artifacts,
) {
  const workspace = await context.workspace()
  const file = await findShared(wish.path, workspace, context)
  const { signal } = context
  const artifact = await copyShared({
    file,
    workspace,
    artifacts,
    signal,
    filename: wish.filename,
    mimeType: wish.mime_type,
  })
  return { artifact: artifactResult(artifact), source: file.path }
}

async function shareText(wish: Wish & { readonly content: string }, artifacts: Artifacts) {
  const content = bytesFrom(wish.content, "content")
  const mimeType = wish.mime_type ?? mimeTypeOfName(wish.filename ?? "") ?? "text/plain"
  const filename = wish.filename ?? `artifact.${extensionOf(mimeType) ?? "txt"}`
  try {
    return artifactResult(await artifacts.keep({ filename, mimeType, content }))
  } catch (error) {
    throw copyFailed(filename, error)
  }
}
