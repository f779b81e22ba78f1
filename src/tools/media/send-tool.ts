import { type CallContext, defineTool, object, text } from "../../contract/index.ts"
import {
  extensionOf,
  isSameType,
  mimeTypeOfBytes,
  mimeTypeOfName,
  signatureBytes,
} from "../../node/index.ts"
import type { Artifact, Artifacts } from "../../store/index.ts"
import {
  filenameArgument,
  invalidArgument,
  mimeTypeArgument,
  namedSandbox,
  readPath,
  sandboxArgument,
} from "../arguments.ts"
import { copyShared } from "../artifact/copy-shared.ts"
import { requireFilename } from "../artifact/filename.ts"
import { copyFailed, findShared } from "../artifact/find-shared.ts"
import { artifactResult, artifactSchema, showArtifact } from "../artifact-result.ts"
import type { ToolDeps } from "../tool-deps.ts"
import { decodeBase64, requireOne } from "./read-media.ts"

/** media.send: a picture, a sound or a film for the person. */
export function sendTool({ artifacts }: ToolDeps) {
  return defineTool({
    name: "media.send",
    title: "Send media",
    description:
      "Sends an image, audio, video or other file to the person: one of the sandbox (path) or its bytes (data). " +
      'Example: {"path": "output/voice.mp3", "mime_type": "audio/mpeg"}.',
    input: object({
      "path?": text("Instead of data."),
      "data?": text('As base64, such as "iVBORw0KGgo...".'),
      "mime_type?": mimeTypeArgument("Where bytes and filename don't tell."),
      "filename?": filenameArgument("voice.mp3"),
      "sandbox?": sandboxArgument,
    }),
    output: object({ kind: { const: "media" }, artifact: artifactSchema }),
    groups: ["media"],
    effects: ["read", "write"],
    pathArguments: ["path"],
    paths: readPath,
    sandbox: namedSandbox,
    async run(input, context) {
      const filename = input.filename?.trim() ? requireFilename(input.filename) : undefined
      const request = { filename, mimeType: input.mime_type?.trim() || undefined }
      const source = requireOne(input)
      const artifact =
        source.kind === "path"
          ? await sendFile({ ...request, path: source.path }, context, artifacts)
          : await sendData({ ...request, data: source.data }, context, artifacts)
      return { kind: "media", artifact: artifactResult(artifact) }
    },
    show: ({ artifact }) => showArtifact(artifact),
  })
}

interface SendRequest {
  readonly filename: string | undefined
  readonly mimeType: string | undefined
}

async function sendFile(
  request: SendRequest & { readonly path: string },
  context: CallContext,
  artifacts: Artifacts,
): Promise<Artifact> {
  const { signal } = context
  const workspace = await context.workspace()
  const file = await findShared(request.path, workspace, context)
  if (file.stat.type === "file" && file.stat.size > 0) {
    const start = await workspace
      .readFileBuffer(file.path, { offset: 0, length: signatureBytes, signal })
      .catch((error: unknown) => {
        signal.throwIfAborted()
        throw copyFailed(file.path, error)
      })
    warnOfMismatch(request.mimeType, start, context)
  }
  const { filename, mimeType } = request
  return copyShared({ file, workspace, artifacts, signal, filename, mimeType })
}

async function sendData(
  request: SendRequest & { readonly data: string },
  context: CallContext,
  artifacts: Artifacts,
): Promise<Artifact> {
  const { bytes, mimeType: said } = decodeBase64(request.data)
  const claimed = request.mimeType ?? said ?? mimeTypeOfName(request.filename ?? "")
  const mimeType = claimed ?? mimeTypeOfBytes(bytes)
  if (mimeType === null) {
    throw invalidArgument(
      "mime_type",
      "Neither the bytes nor a filename tell what data is. Pass its mime_type.",
      'a media type, such as "image/png"',
    )
  }
  warnOfMismatch(claimed ?? undefined, bytes, context)
  const filename = request.filename ?? `media.${extensionOf(mimeType) ?? "bin"}`
  try {
    return await artifacts.keep({ filename, mimeType, content: bytes })
  } catch (error) {
    throw copyFailed(filename, error)
  }
}

/** Types whose files always begin alike. */
const alwaysTold = new Set([
  "image/png",
  "image/jpeg",
  "image/gif",
  "image/webp",
  "audio/wav",
  "audio/flac",
  "audio/ogg",
  "video/webm",
])

/** Sent all the same: the person sees it, and the caller may know better than the first bytes. */
function warnOfMismatch(
  claimed: string | undefined,
  bytes: Uint8Array,
  context: CallContext,
): void {
  if (claimed === undefined) return
  const found = mimeTypeOfBytes(bytes)
  if (found !== null && !isSameType(claimed, found)) {
    context.warn(`The bytes look like ${found}, not ${claimed}.`)
  } else if (found === null && alwaysTold.has(claimed.toLowerCase())) {
    context.warn(`The bytes don't look like ${claimed}.`)
  }
}
