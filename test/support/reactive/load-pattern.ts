import { join } from "node:path"
import { repositoryRoot } from "../../../scripts/repository.ts"
import { loadPatternLoader, type Pattern } from "../../../src/reactive/index.ts"

let loader: ReturnType<typeof open> | undefined

async function open() {
  const { createPatternLoader } = await loadPatternLoader()
  return createPatternLoader()
}

/** For tests: the pattern of a TSX file, compiled as `toolkeep dev` does it. */
export async function loadPattern<In, Out>(file: string): Promise<Pattern<In, Out>> {
  loader ??= open()
  const pattern: unknown = await (await loader).load(join(repositoryRoot, file))
  // Only the file knows what its pattern takes and returns.
  return pattern as Pattern<In, Out>
}
