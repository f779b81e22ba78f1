import { relative } from "node:path"
import type { Reporter, TestModule } from "vitest/node"
import { repositoryRoot } from "../../scripts/repository.ts"

interface Times {
  readonly file: string
  readonly seconds: number
  /** Of the file's process and of the programs that had ended when the file did. */
  readonly processor: number
}

/** Prints the test files by how long they took, and how much of that they only waited. */
export class PrintTimes implements Reporter {
  readonly #files: Times[] = []
  /** Several files share a process. */
  readonly #usedBefore = new Map<number, number>()

  onTestModuleEnd(module: TestModule): void {
    const { pid, processorMs } = module.meta().used ?? { pid: 0, processorMs: 0 }
    const before = this.#usedBefore.get(pid) ?? 0
    this.#usedBefore.set(pid, processorMs)
    const { collectDuration, setupDuration, duration } = module.diagnostic()
    this.#files.push({
      file: relative(repositoryRoot, module.moduleId),
      seconds: (collectDuration + setupDuration + duration) / 1_000,
      processor: (processorMs - before) / 1_000,
    })
  }

  onTestRunEnd(): void {
    const files = this.#files.toSorted((one, other) => one.seconds - other.seconds)
    const sum = (of: (times: Times) => number) => files.reduce((all, times) => all + of(times), 0)
    const all = {
      file: `all ${files.length} files`,
      seconds: sum(({ seconds }) => seconds),
      processor: sum(({ processor }) => processor),
    }
    console.log("   seconds processor     waits")
    for (const { file, seconds, processor } of [...files, all]) {
      const columns = [seconds, processor, Math.max(0, seconds - processor)]
      console.log(`${columns.map((value) => value.toFixed(1).padStart(10)).join("")}  ${file}`)
    }
  }
}
