import { packageProblem } from "../../node/index.ts"
import { type Compile, loadCompiler } from "./compile-pattern.ts"

/** As much of a plugin of Vite as is used here. */
export interface PatternPlugin {
  readonly name: string
  readonly enforce: "pre"
  transform(
    code: string,
    id: string,
  ): Promise<{ readonly code: string; readonly map: object } | null>
}

const importsPatterns = /from\s*["']toolkeep\/reactive["']/

/** Compiles files with patterns as `toolkeep dev` does. Files with the JSX of others are left to Vite. */
export function patternPlugin(): PatternPlugin {
  let compiler: Promise<Compile> | undefined
  return {
    name: "toolkeep-patterns",
    enforce: "pre",
    async transform(code, id) {
      const [file = ""] = id.split("?", 1)
      if (!/\.[jt]sx$/.test(file) || !importsPatterns.test(code)) return null
      const missing = packageProblem("A pattern in TSX", ["oxc-parser", "oxc-transform"])
      if (missing !== null) throw new Error(missing)
      compiler ??= loadCompiler()
      const compile = await compiler
      const compiled = compile(file, code)
      return { code: compiled.code, map: compiled.map.payload }
    },
  }
}
