export { artifactDirectory } from "./artifacts/artifact-directory.ts"
export type { Artifact, Artifacts, NewArtifact } from "./artifacts/artifacts.ts"
