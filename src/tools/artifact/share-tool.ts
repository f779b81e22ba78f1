import { type CallContext, defineTool, type InferSchema } from "../../contract/index.ts"
import { artifactSchema, showArtifact } from "../artifact-result.ts"
import { artifactLimits } from "../limits.ts"
import { namedSandbox, sandboxArgument } from "../sandbox-argument.ts"
import { mimeTypeArgument, object, text } from "../schemas.ts"
import type { ToolDeps } from "../tool-deps.ts"
import { sharedPaths } from "./find-shared.ts"

const inputSchema = object({
  "path?": text(
    'A file of the sandbox, such as "output/report.pdf"; a directory is shared as a tar. Instead of content.',
  ),
  "content?": text('The text to share, such as "# Summary\\n...". Instead of path.'),
  "filename?": text('What the person sees it called: a plain name, such as "report.pdf".'),
  "mime_type?": {
    ...mimeTypeArgument,
    description: 'Such as "text/markdown". Without it, told by the name or the content.',
  },
  "description?": text('One sentence for the person, such as "The sales of 2026 by region."', {
    maxLength: artifactLimits.descriptionCharacters,
  }),
  "sandbox?": sandboxArgument,
})

const outputSchema = object({
  kind: { const: "artifact" },
  artifact: artifactSchema,
  "source?": { type: "string", description: "Where the file is in the sandbox." },
  "description?": { type: "string" },
})

export type ShareInput = InferSchema<typeof inputSchema>

/** artifact.share: hands a file of the sandbox, or a text, to the person. */
export function shareTool(parts: ToolDeps) {
  return defineTool({
    name: "artifact.share",
    title: "Share a file",
    description:
      "Gives the person a file: one of the sandbox (path) or a text (content). A file that is not where path says is also " +
      "looked for in output, dist, build and the like. Share only what the person asked for or needs. " +
      'Example: {"path": "output/report.pdf", "description": "The finished report."}.',
    input: inputSchema,
    output: outputSchema,
    groups: ["media"],
    effects: ["read", "write"],
    pathArguments: ["path"],
    paths: ({ path }) =>
      path === undefined ? [] : sharedPaths(path).map((one) => ({ path: one, mode: "read" })),
    sandbox: namedSandbox,
    run: async (input: ShareInput, context: CallContext) => {
      const { shareArtifact } = await import("./share-artifact.ts")
      return shareArtifact(input, context, parts.artifacts)
    },
    show: ({ artifact }) => showArtifact(artifact),
  })
}
