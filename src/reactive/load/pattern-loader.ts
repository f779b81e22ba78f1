import { existsSync, readFileSync } from "node:fs"
import { type LoadHookSync, type ResolveHookSync, registerHooks } from "node:module"
import { extname } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { errorText } from "../../kit/index.ts"
import { packageProblem } from "../../node/index.ts"
import { causeOf } from "../graph/failure.ts"
import { reactiveLimits } from "../limits.ts"
import type { Pattern } from "../pattern/pattern.ts"
import { type Compile, type Compiled, CompileError, loadCompiler } from "./compile-pattern.ts"
import type { SourceProblem } from "./source-problem.ts"

/** A pattern of whatever inputs: those that it is started with are checked by nobody. */
export type AnyPattern = Pattern<Record<string, unknown>, Record<string, unknown>>

export interface PatternLoader extends Disposable {
  /** The pattern that a file exports as its default, as the file and its imports are now. */
  load(file: string): Promise<AnyPattern>
  /** The files that were read for it last, also when that failed. */
  files(): readonly string[]
  /** An error, or the failure that came of it, with its place in these files, where it has one. */
  problemOf(error: unknown): SourceProblem
}

/** Other files are loaded as Node does it. */
const compiledExtensions = [".tsx", ".jsx", ".ts", ".mts"]

const versionParameter = "toolkeep-version"

/** Loads patterns in this process. Throws one sentence where the compiler or Node is missing something. */
export async function createPatternLoader(): Promise<PatternLoader> {
  const missing = packageProblem("A pattern in TSX", ["oxc-parser", "oxc-transform"])
  if (missing !== null) throw new Error(missing)
  if (registerHooks === undefined) {
    throw new Error("A pattern in TSX needs Node 22.15 or newer.")
  }
  return new Loader(await loadCompiler())
}

class Loader implements PatternLoader {
  readonly #compile: Compile
  readonly #compiled = new Map<string, Compiled>()
  readonly #hooks: { deregister(): void }
  #files = new Set<string>()
  #version = 0

  constructor(compile: Compile) {
    this.#compile = compile
    this.#hooks = registerHooks({ resolve: this.#resolve, load: this.#load })
  }

  async load(file: string): Promise<AnyPattern> {
    this.#version += 1
    this.#files = new Set([file])
    // Node would name this file as the one that imports it.
    if (!existsSync(file)) throw new CompileError({ message: "This file does not exist.", file })
    // Another address is another module: what was loaded before stays as it was.
    const module = await import(this.#versioned(pathToFileURL(file).href))
    const { default: pattern } = module
    if (isPattern(pattern)) return pattern
    throw new CompileError({
      message: "This file has no pattern: write export default pattern(…).",
      file,
    })
  }

  files(): readonly string[] {
    return [...this.#files]
  }

  problemOf(given: unknown): SourceProblem {
    const error = causeOf(given) ?? given
    if (error instanceof CompileError) return error.problem
    const stack = error instanceof Error ? endsOf(error.stack ?? "") : ""
    const message = errorText(error)
    for (const [, url = "", line, column = "1"] of stack.matchAll(placesInStacks)) {
      const compiled = this.#compiled.get(url)
      if (!compiled) continue
      const found = compiled.map.findEntry(Number(line) - 1, Number(column) - 1)
      if (!("originalLine" in found)) return { message, file: compiled.source.path }
      const place = compiled.source.placeIn(found.originalLine + 1, found.originalColumn + 1)
      return { message, ...place }
    }
    return { message }
  }

  [Symbol.dispose](): void {
    this.#hooks.deregister()
  }

  #versioned(url: string): string {
    const versioned = new URL(url)
    versioned.searchParams.set(versionParameter, String(this.#version))
    return versioned.href
  }

  readonly #resolve: ResolveHookSync = (specifier, context, next) => {
    const own = ownEntry(specifier)
    if (own !== null) return { url: own, shortCircuit: true }
    const { parentURL = "" } = context
    if (!isVersioned(parentURL)) return next(specifier, context)
    try {
      const found = next(specifier, context)
      const isOfProject = found.url.startsWith("file:") && !found.url.includes("/node_modules/")
      return isOfProject ? { ...found, url: this.#versioned(found.url) } : found
    } catch (error) {
      throw this.#atImport(error, specifier, parentURL)
    }
  }

  readonly #load: LoadHookSync = (url, context, next) => {
    if (!isVersioned(url)) return next(url, context)
    const file = fileURLToPath(url)
    this.#files.add(file)
    if (!compiledExtensions.includes(extname(file))) return next(url, context)
    const compiled = this.#compile(file, readFileSync(file, "utf8"))
    this.#compiled.set(url, compiled)
    return { format: "module", source: compiled.code, shortCircuit: true }
  }

  /** An import that leads nowhere has its place where it is written. */
  #atImport(error: unknown, specifier: string, parentUrl: string): unknown {
    const source = this.#compiled.get(parentUrl)?.source
    const offset = ['"', "'"]
      .map((quote) => source?.text.indexOf(`${quote}${specifier}${quote}`) ?? -1)
      .find((index) => index >= 0)
    if (source === undefined || offset === undefined) return error
    return new CompileError({ message: errorText(error), ...source.placeOf(offset) })
  }
}

/** As stack traces name them, and as the first line of an import that finds no such name. */
/** Bounded, for the message of an error may be what a command printed. */
const placesInStacks = /(file:\/\/[^\s()]{1,2000}?):(\d{1,9})(?::(\d{1,9}))?(?=[\s)]|$)/g

/** Where a stack has places: at its start for a syntax error, else below the message. */
function endsOf(stack: string): string {
  const { stackCharacters: most } = reactiveLimits
  return stack.length <= most ? stack : `${stack.slice(0, most / 8)}\n${stack.slice(-most)}`
}

function isVersioned(url: string): boolean {
  return url.includes(`${versionParameter}=`)
}

/**
 * What a pattern imports is this process's own Toolkeep, whatever is installed beside the file: two of them would not
 * know each other's references.
 */
function ownEntry(specifier: string): string | null {
  if (specifier !== "toolkeep" && !specifier.startsWith("toolkeep/")) return null
  const entry = specifier === "toolkeep" ? "toolkeep" : specifier.slice("toolkeep/".length)
  const isSource = import.meta.url.endsWith(".ts")
  const path = isSource ? `../../public/${entry}.ts` : `../public/${entry}.js`
  return new URL(path, import.meta.url).href
}

function isPattern(value: unknown): value is AnyPattern {
  return typeof value === "function" && "body" in value && typeof value.body === "function"
}
