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
  const request = withoutFillers(input)
  const filename = request.filename === undefined ? undefined : requireFilename(request.filename)
  const described = request.description === undefined ? {} : { description: request.description }
  if (request.path !== undefined && request.content !== undefined) {
    throw new ToolFailure({
      kind: "invalid_args",
      message: "Both path and content are given; share the file or the text, not both in one call.",
      field: "content",
      expected: "either path or content",
    })
  }
  if (request.path !== undefined) {
    const { artifact, source } = await shareFile(
      { ...request, path: request.path, filename },
      context,
      artifacts,
    )
    return { kind: "artifact" as const, artifact, source, ...described }
  }
  if (request.content !== undefined) {
    const artifact = await shareText({ ...request, content: request.content, filename }, artifacts)
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

interface ShareRequest {
  readonly filename: string | undefined
  readonly mime_type?: string
}

async function shareFile(
  request: ShareRequest & { readonly path: string },
  context: CallContext,
  artifacts: Artifacts,
) {
  const workspace = await context.workspace()
  const file = await findShared(request.path, workspace, context)
  const { signal } = context
  const artifact = await copyShared({
    file,
    workspace,
    artifacts,
    signal,
    filename: request.filename,
    mimeType: request.mime_type,
  })
  return { artifact: artifactResult(artifact), source: file.path }
}

async function shareText(
  request: ShareRequest & { readonly content: string },
  artifacts: Artifacts,
) {
  const content = bytesFrom(request.content, "content")
  const mimeType = request.mime_type ?? mimeTypeOfName(request.filename ?? "") ?? "text/plain"
  const filename = request.filename ?? `artifact.${extensionOf(mimeType) ?? "txt"}`
  try {
    return artifactResult(await artifacts.keep({ filename, mimeType, content }))
  } catch (error) {
    throw copyFailed(filename, error)
  }
}
