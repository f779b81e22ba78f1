import { type CallContext, defineTool, type InferSchema } from "../../contract/index.ts"
import { artifactSchema, showArtifact } from "../artifact-result.ts"
import { namedSandbox, sandboxArgument } from "../sandbox-argument.ts"
import { mimeTypeArgument, object, text } from "../schemas.ts"
import type { ToolDeps } from "../tool-deps.ts"

const inputSchema = object({
  "path?": text('A file of the sandbox, such as "output/voice.mp3". Instead of data.'),
  "data?": text('The file as base64, such as "iVBORw0KGgo...". Instead of path.'),
  "mime_type?": {
    ...mimeTypeArgument,
    description: 'Such as "image/png". Needed with data, unless the bytes or the filename tell.',
  },
  "filename?": text('What the person sees it called: a plain name, such as "voice.mp3".'),
  "sandbox?": sandboxArgument,
})

const outputSchema = object({
  kind: { const: "media" },
  artifact: artifactSchema,
})

export type SendInput = InferSchema<typeof inputSchema>

/** media.send: a picture, a sound or a film for the person. */
export function sendTool(parts: ToolDeps) {
  return defineTool({
    name: "media.send",
    title: "Send media",
    description:
      "Sends an image, audio, video or any other file to the person: a file of the sandbox (path) or its bytes (data). " +
      'Example: {"path": "output/voice.mp3", "mime_type": "audio/mpeg"}.',
    input: inputSchema,
    output: outputSchema,
    groups: ["media"],
    effects: ["read", "write"],
    pathArguments: ["path"],
    paths: (input) => (input.path === undefined ? [] : [{ path: input.path, mode: "read" }]),
    sandbox: namedSandbox,
    run: async (input: SendInput, context: CallContext) => {
      const { sendMedia } = await import("./send-media.ts")
      return sendMedia(input, context, parts.artifacts)
    },
    show: ({ artifact }) => showArtifact(artifact),
  })
}
