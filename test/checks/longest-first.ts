import { BaseSequencer, type TestSpecification } from "vitest/node"

/** Files that take most of a minute or more, the longest first: begun last, they would be waited for alone. */
export const longest: readonly string[] = [
  "test/engine/docker-conformance.test.ts",
  "src/testing/conformance-memory.test.ts",
  "src/testing/conformance-bubblewrap.test.ts",
  "test/engine/docker-attacks.test.ts",
  "src/testing/broken-hosts.test.ts",
  "test/attacks/resources.test.ts",
  "src/testing/conformance-local.test.ts",
]

/** A machine that has run the tests before knows how long each takes; a fresh one goes by this. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const at = longest.findIndex((file) => moduleId.endsWith(`/${file}`))
      return at === -1 ? longest.length : at
    }
    return (await super.sort(files)).sort((one, other) => rank(one) - rank(other))
  }
}
