/** What an expression matches: only its language counts, so captures and greed leave no trace. */
export type Expression =
  | { readonly kind: "character"; readonly source: string }
  | { readonly kind: "assertion"; readonly which: Assertion }
  | { readonly kind: "sequence"; readonly parts: readonly Expression[] }
  | { readonly kind: "choice"; readonly options: readonly Expression[] }
  | {
      readonly kind: "repeat"
      readonly part: Expression
      readonly min: number
      readonly max: number
    }

export type Assertion = "start" | "end" | "word-boundary" | "no-word-boundary"

/** Something the author of an expression has to change, as the end of a sentence. */
export class ExpressionError extends Error {
  override readonly name = "ExpressionError"
}

const assertions: Readonly<Record<string, Assertion>> = {
  "^": "start",
  $: "end",
  "\\b": "word-boundary",
  "\\B": "no-word-boundary",
}

const surrogatePair = String.raw`\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}`
const tokens = new RegExp(
  [
    String.raw`(?<unbounded>\(\?<?[=!]|\\k<|\\[1-9])`,
    String.raw`(?<open>\((?:\?:|\?<[^>]*>)?)`,
    String.raw`(?<close>\))`,
    String.raw`(?<or>\|)`,
    String.raw`(?<assertion>[$^]|\\[bB])`,
    String.raw`(?<count>[*+?]|\{\d+(?:,\d*)?\})\??`,
    String.raw`(?<character>\[(?:\\[^]|[^\]\\])*\]|\\[pP]\{[^}]*\}|\\u\{[^}]*\}|${surrogatePair}|\\u.{4}|\\x..|\\c.|\\?[^])`,
  ].join("|"),
  "gu",
)

/**
 * Reads the syntax of JavaScript's regular expressions (flag u) without look-around and
 * back-references, the two parts that no matcher can promise to finish in bounded time.
 */
export function parseExpression(source: string, flags: string): Expression {
  checkSyntax(source, flags)
  const open: Group[] = [newGroup()]
  for (const { groups } of source.matchAll(tokens)) {
    const group = open.at(-1) as Group
    if (groups?.unbounded) throw new ExpressionError(unbounded(groups.unbounded))
    else if (groups?.open) open.push(newGroup())
    else if (groups?.close) {
      open.pop()
      sequenceOf(open.at(-1) as Group).push(finish(group))
    } else if (groups?.or) group.options.push([])
    else if (groups?.count) repeatLast(sequenceOf(group), groups.count)
    else if (groups?.assertion) {
      const which = assertions[groups.assertion] as Assertion
      sequenceOf(group).push({ kind: "assertion", which })
    } else if (groups?.character) {
      sequenceOf(group).push({ kind: "character", source: groups.character })
    }
  }
  return finish(open[0] as Group)
}

/** JavaScript itself says whether the syntax is right; it never runs the expression. */
function checkSyntax(source: string, flags: string): void {
  try {
    new RegExp(source, flags)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new ExpressionError(
      `is not a regular expression: ${reason.slice(reason.lastIndexOf(": ") + 2)}`,
    )
  }
}

function unbounded(token: string): string {
  const what = token.startsWith("(") ? "look-around" : "a back-reference"
  return `uses ${what} (${token}), which can take unbounded time; split it into several rules`
}

interface Group {
  readonly options: Expression[][]
}

function newGroup(): Group {
  return { options: [[]] }
}

function sequenceOf(group: Group): Expression[] {
  return group.options.at(-1) as Expression[]
}

function finish(group: Group): Expression {
  const options = group.options.map((parts) => ({ kind: "sequence", parts }) as const)
  return options.length === 1 ? (options[0] as Expression) : { kind: "choice", options }
}

function repeatLast(parts: Expression[], count: string): void {
  const part = parts.pop() as Expression
  const [min, max] = bounds(count)
  parts.push({ kind: "repeat", part, min, max })
}

function bounds(count: string): [number, number] {
  if (count === "*") return [0, Number.POSITIVE_INFINITY]
  if (count === "+") return [1, Number.POSITIVE_INFINITY]
  if (count === "?") return [0, 1]
  const [min = "", max] = count.slice(1, -1).split(",")
  if (max === undefined) return [Number(min), Number(min)]
  return [Number(min), max === "" ? Number.POSITIVE_INFINITY : Number(max)]
}
