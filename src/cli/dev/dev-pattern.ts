import type { PatternPage } from "../../http/index.ts"
import type { PatternLoader, Running, RunOptions, SourceProblem } from "../../reactive/index.ts"
import { replaceBody, run } from "../../reactive/index.ts"
import { watchFiles } from "./watch-files.ts"

export interface DevPatternOptions {
  readonly file: string
  readonly inputs: Readonly<Record<string, unknown>>
  readonly options: RunOptions
  readonly loader: PatternLoader
  readonly page: PatternPage
  readonly onReload: () => void
  readonly onProblem: (problem: SourceProblem) => void
}

type AnyRunning = Running<Record<string, unknown>, Record<string, unknown>>

/** Runs a pattern, and goes on with it whenever its files change. What can't be loaded leaves the last one running. */
export async function openDevPattern(dev: DevPatternOptions): Promise<AsyncDisposable> {
  const { file, inputs, options, loader, page } = dev
  let running: AnyRunning | null = null
  const load = async () => {
    try {
      const pattern = await loader.load(file)
      const isFirst = running === null
      running = running === null ? run(pattern, inputs, options) : replaceBody(running, pattern)
      page.show(running.ui)
      if (!isFirst) dev.onReload()
    } catch (error) {
      const problem = loader.problemOf(error)
      page.fail(problem)
      dev.onProblem(problem)
    }
  }
  const watching = watchFiles(() => reload())
  const reload = async () => {
    await load()
    watching.follow(loader.files(), page.problem !== null)
  }
  await reload()
  return {
    async [Symbol.asyncDispose]() {
      await watching.stop()
      await running?.dispose()
    },
  }
}
