import type { Artifact } from "../store/index.ts"
import { object } from "./schemas.ts"

/** An artifact as results show it. */
export interface ArtifactResult {
  readonly id: string
  readonly filename: string
  readonly mime_type: string
  readonly size: number
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

/** "chart.svg (image/svg+xml, 900 bytes): /home/ada/.toolkeep/…/chart.svg" */
export function showArtifact({ filename, mime_type, size, path }: ArtifactResult): string {
  return `${filename} (${mime_type}, ${size} bytes): ${path}`
}
