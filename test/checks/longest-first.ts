import { BaseSequencer, type TestSpecification } from "vitest/node"

/**
 * What takes longest, and mostly waits: begun last, it would be waited for alone. Only this one, because those
 * that keep the machine busy would be in each other's way.
 */
export const longest: readonly string[] = ["test/engine/docker-conformance.test.ts"]

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
