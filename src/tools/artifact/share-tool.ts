import {
  type CallContext,
  defineTool,
  object,
  showLines,
  type ToolFailure,
  text,
} from "../../contract/index.ts"
import { extensionOf, mimeTypeOfName } from "../../node/index.ts"
import type { Artifacts } from "../../store/index.ts"
import {
  filenameArgument,
  invalidArgument,
  mimeTypeArgument,
  namedSandbox,
  sandboxArgument,
} from "../arguments.ts"
import { artifactResult, artifactSchema, showArtifact } from "../artifact-result.ts"
import { bytesFrom } from "../file/read/text-bytes.ts"
import { artifactLimits } from "../limits.ts"
import type { ToolDeps } from "../tool-deps.ts"
import { copyShared } from "./copy-shared.ts"
import { requireFilename } from "./filename.ts"
import { copyFailed, findShared, sharedPaths } from "./find-shared.ts"

/** artifact.share: hands a file of the sandbox, or a text, to the person. */
export function shareTool({ artifacts }: ToolDeps) {
  return defineTool({
    name: "artifact.share",
    title: "Share a file",
    description:
      "Gives the person a file of the sandbox (path), also looked for in output, dist, build and the like, or a text (content). " +
      "Share only what the person needs. " +
      'Example: {"path": "output/report.pdf", "description": "The finished report."}.',
    input: object({
      "path?": text("A directory becomes a tar."),
      "content?": text('Instead of path, such as "# Summary\\n...".'),
      "filename?": filenameArgument("report.pdf"),
      "mime_type?": mimeTypeArgument('Such as "text/markdown"; by default told by the name.'),
      "description?": text("For the person.", {
        maxLength: artifactLimits.descriptionCharacters,
      }),
      "sandbox?": sandboxArgument,
    }),
    output: object({
      kind: { const: "artifact" },
      artifact: artifactSchema,
      "source?": { type: "string", description: "Where the file is in the sandbox." },
      "description?": { type: "string" },
    }),
    groups: ["media"],
    effects: ["read", "write"],
    pathArguments: ["path"],
    paths: ({ path }) =>
      path === undefined ? [] : sharedPaths(path).map((one) => ({ path: one, mode: "read" })),
    sandbox: namedSandbox,
    async run(input, context) {
      const path = given(input.path)
      // White space alone is a text when there is nothing else to share.
      const content = path === undefined ? input.content : given(input.content)
      const description = given(input.description)
      const name = given(input.filename)
      const request = {
        filename: name === undefined ? undefined : requireFilename(name),
        mimeType: given(input.mime_type),
      }
      if (path !== undefined && content !== undefined) {
        throw needsOne(
          "content",
          "Both path and content are given; share the file or the text, not both in one call.",
        )
      }
      const described = description === undefined ? {} : { description }
      if (path !== undefined) {
        const shared = await shareFile({ ...request, path }, context, artifacts)
        return { kind: "artifact", ...shared, ...described }
      }
      if (content === undefined) {
        throw needsOne(
          "path",
          "Nothing to share is given: pass the path of a file, or the content itself.",
        )
      }
      const artifact = await shareText({ ...request, content }, artifacts)
      return { kind: "artifact", artifact, ...described }
    },
    show: ({ artifact, source, description }) =>
      showLines(showArtifact(artifact), source !== undefined && `from ${source}`, description),
  })
}

/** Models fill optional arguments that they don't use with blank text. */
function given(text: string | undefined): string | undefined {
  return text?.trim() ? text : undefined
}

interface ShareRequest {
  readonly filename: string | undefined
  readonly mimeType: string | undefined
}

async function shareFile(
  request: ShareRequest & { readonly path: string },
  context: CallContext,
  artifacts: Artifacts,
) {
  const { signal } = context
  const { path, filename, mimeType } = request
  const workspace = await context.workspace()
  const file = await findShared(path, workspace, context)
  const artifact = await copyShared({ file, workspace, artifacts, signal, filename, mimeType })
  return { artifact: artifactResult(artifact), source: file.path }
}

async function shareText(
  request: ShareRequest & { readonly content: string },
  artifacts: Artifacts,
) {
  const content = bytesFrom(request.content, "content")
  const mimeType = request.mimeType ?? mimeTypeOfName(request.filename ?? "") ?? "text/plain"
  const filename = request.filename ?? `artifact.${extensionOf(mimeType) ?? "txt"}`
  try {
    return artifactResult(await artifacts.keep({ filename, mimeType, content }))
  } catch (error) {
    throw copyFailed(filename, error)
  }
}

function needsOne(field: string, message: string): ToolFailure {
  return invalidArgument(field, message, "either path or content")
}
