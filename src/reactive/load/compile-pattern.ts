import { SourceMap } from "node:module"
import { SourceFile } from "./source-file.ts"
import type { SourceProblem } from "./source-problem.ts"

type Parser = typeof import("oxc-parser")
type Transformer = typeof import("oxc-transform")

export interface Compiled {
  readonly code: string
  readonly source: SourceFile
  /** From the code to the source with its functions: the lines are those of the file. */
  readonly map: SourceMap
}

/** What a file with JSX has wrong, as its compiler says it. */
export class CompileError extends Error {
  override readonly name = "CompileError"
  readonly problem: SourceProblem

  constructor(problem: SourceProblem) {
    super(problem.message)
    this.problem = problem
  }
}

/** Turns TSX into JavaScript for `toolkeep/reactive`: an expression in the braces of JSX becomes a function. */
export type Compile = (file: string, text: string) => Compiled

/** Loads the compiler, which is about 5 MB and only there where it was installed. */
export async function loadCompiler(): Promise<Compile> {
  const [parser, transformer] = await Promise.all([import("oxc-parser"), import("oxc-transform")])
  return (file, text) => compile({ parser, transformer }, file, text)
}

function compile(
  { parser, transformer }: { readonly parser: Parser; readonly transformer: Transformer },
  file: string,
  text: string,
): Compiled {
  const parsed = parser.parseSync(file, text)
  requireSound(parsed.errors, new SourceFile(file, text, []))
  const source = new SourceFile(file, text, liveExpressions(parser, parsed.program))
  const { code, map, errors } = transformer.transformSync(file, source.withFunctions(), {
    sourceType: "module",
    sourcemap: true,
    jsx: { runtime: "automatic", importSource: "toolkeep/reactive" },
  })
  requireSound(errors, source)
  if (!map) throw new Error(`The compiler gave no source map for ${file}.`)
  return { code, source, map: new SourceMap({ ...map, file, sourceRoot: "", sourcesContent: [] }) }
}

interface OxcError {
  readonly message: string
  readonly labels: readonly { readonly start: number }[]
}

function requireSound([error]: readonly OxcError[], source: SourceFile): void {
  if (!error) return
  const [label] = error.labels
  throw new CompileError({
    message: `${error.message}.`.replace(/\.\.$/, "."),
    ...(label && source.placeOf(label.start)),
  })
}

/** Where the expressions are that become functions, in the order of the file. */
function liveExpressions(
  { Visitor }: Parser,
  program: import("oxc-parser").ParseResult["program"],
): readonly (readonly [number, number])[] {
  const found: [number, number][] = []
  const add = ({ type, start, end }: { type: string; start: number; end: number }) => {
    if (!plainTypes.has(type)) found.push([start, end])
  }
  new Visitor({
    JSXAttribute({ name, value }) {
      const isNamed = name.type === "JSXIdentifier"
      if (value?.type !== "JSXExpressionContainer") return
      // Handlers are values, and the key of an element is known before it is drawn.
      if (isNamed && (name.name.startsWith("on") || name.name === "key")) return
      add(value.expression)
    },
    JSXElement: ({ children }) => addChildren(children),
    JSXFragment: ({ children }) => addChildren(children),
  }).visit(program)
  function addChildren(children: readonly Child[]): void {
    for (const child of children) {
      if (child.type === "JSXExpressionContainer" && child.expression) add(child.expression)
    }
  }
  return found
}

interface Child {
  readonly type: string
  readonly expression?: { readonly type: string; readonly start: number; readonly end: number }
}

/** What is the same however often it is evaluated: names of values and references, texts, numbers and functions. */
const plainTypes = new Set([
  "ArrowFunctionExpression",
  "FunctionExpression",
  "Identifier",
  "JSXEmptyExpression",
  "JSXElement",
  "JSXFragment",
  "Literal",
])
