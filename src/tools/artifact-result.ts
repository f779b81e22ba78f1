import { object } from "../contract/index.ts"
import type { Artifact } from "../store/index.ts"

/** An artifact as results show it. */
export interface ArtifactResult {
  readonly id: string
  readonly filename: string
  readonly mime_type: string
  readonly size: number
  /** On this machine, for a program: models are not told. */
  readonly path: string
}

export function artifactResult({ id, filename, mimeType, size, path }: Artifact): ArtifactResult {
  return { id, filename, mime_type: mimeType, size, path }
}

/** For a tool's `outputSchema`. */
export const artifactSchema = {
  ...object({
    id: { type: "string" },
    filename: { type: "string" },
    mime_type: { type: "string" },
    size: { type: "integer", minimum: 0, description: "In bytes." },
    path: { type: "string", description: "Where it is on the person's machine." },
  }),
  description: "The file that was saved for the person.",
} as const

/** "Saved for the person: chart.svg (image/svg+xml, 900 bytes)", and where that is unless a model reads it. */
export function showArtifact(artifact: Omit<ArtifactResult, "path" | "id">): string {
  const { filename, mime_type, size } = artifact
  const path = "path" in artifact ? artifact.path : undefined
  const where = path === undefined ? "" : `: ${path}`
  return `Saved for the person: ${filename} (${mime_type}, ${size} bytes)${where}`
}
