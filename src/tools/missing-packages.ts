import { type OptionalPackage, packageProblem } from "../node/index.ts"

/** For a tool's `unavailableReason`: how to install the optional packages that it needs, where they are not here. */
export function missingPackages(
  tool: string,
  packages: readonly OptionalPackage[],
): () => string | null {
  let found = false
  return () => {
    if (found) return null
    const problem = packageProblem(tool, packages)
    found = problem === null
    return problem
  }
}
