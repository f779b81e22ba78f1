export { containFaults, type FaultOwner, ownConnections, runOwned } from "./contain-faults.ts"
export { findProgram, isProgram } from "./find-program.ts"
export { type ImageSize, imageSize } from "./image-size.ts"
export { listenAt, listenOnLoopback } from "./listen-on-loopback.ts"
export { makeDirectories } from "./make-directories.ts"
export {
  extensionOf,
  isSameType,
  isTextType,
  mimeTypeOfBytes,
  mimeTypeOfName,
  signatureBytes,
} from "./mime-types.ts"
export {
  type FindVersion,
  fits,
  type OptionalPackage,
  optionalPackages,
  packageProblem,
} from "./optional-packages.ts"
export { describeOwner, isDead, ownerOf, untilDead } from "./process-identity.ts"
export { rateLimit } from "./rate-limit.ts"
export { replaceFile } from "./replace-file.ts"
export { runtimeProblem } from "./runtime-problem.ts"
export { sha256 } from "./sha256.ts"
export { splitLines } from "./split-lines.ts"
export { unifiedDiff } from "./unified-diff.ts"
