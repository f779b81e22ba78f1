import {
  parse,
  type SimpleCommandNode,
  type StatementNode,
  type TransformPlugin,
  type WordNode,
} from "just-bash"
import { decodeAfterReading } from "./decode-input.ts"

type Redirection = SimpleCommandNode["redirections"][number]

/**
 * What just-bash 3.4.2 does wrong and does right when it is written in another way, each until its tests in
 * run-script.test.ts pass without it: "long ranges", "words that come from variables", "text that is not
 * ASCII", "loops over parameters", "the background", and "redirections" (vercel-labs/just-bash#349 mends a part).
 */
export const repairSyntax: TransformPlugin = {
  name: "repair-syntax",
  transform({ ast }) {
    visitNodes(ast, (node) => {
      if (isBraceExpansion(node)) node.items = node.items.flatMap(splitRange)
      if (isSimpleCommand(node)) splitName(node)
      if (isLoopOverParameters(node)) node.words = [quotedParameters()]
      if (isStatement(node)) {
        inSubshell(node)
        decodeAfterReading(node)
      }
      if (hasRedirections(node)) node.redirections = node.redirections.flatMap(openFirst)
    })
    return { ast }
  },
}

/** Calls back for every object inside a syntax tree, outer ones first. No recursion: scripts may nest deeply. */
function visitNodes(root: unknown, visit: (node: object) => void): void {
  const left: unknown[] = [root]
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    if (typeof next !== "object" || next === null) continue
    visit(next)
    for (const part of Object.values(next)) if (part !== undefined) left.push(part)
  }
}

function isBraceExpansion(node: object): node is { items: unknown[] } {
  return "type" in node && node.type === "BraceExpansion" && "items" in node
}

function isSimpleCommand(node: object): node is SimpleCommandNode {
  return "type" in node && node.type === "SimpleCommand"
}

function isLoopOverParameters(node: object): node is { words: WordNode[] | null } {
  return "type" in node && node.type === "For" && "words" in node && node.words === null
}

function isStatement(node: object): node is StatementNode {
  return "type" in node && node.type === "Statement" && "pipelines" in node
}

function hasRedirections(node: object): node is { redirections: Redirection[] } {
  return "redirections" in node && Array.isArray(node.redirections)
}

/** The shell silently leaves out what a range has beyond this. */
const longestRange = 10_000
/** Beyond this it refuses with an error. */
const mostElements = 100_000

interface Range {
  readonly type: "Range"
  readonly start: number
  readonly end: number
  readonly step?: number
}

/** Makes `{1..20000}` into `{1..10000}` and `{10001..20000}` side by side, which the shell expands whole. */
function splitRange(item: unknown): unknown[] {
  if (!isRange(item)) return [item]
  const step = Math.abs(item.step ?? 1) || 1
  const whole = Math.floor(Math.abs(item.end - item.start) / step) + 1
  const count = Math.min(whole, mostElements + 1)
  if (count <= longestRange) return [item]
  const direction = item.end >= item.start ? step : -step
  const parts: Range[] = []
  for (let done = 0; done < count; done += longestRange) {
    const start = item.start + done * direction
    const last = Math.min(count - 1, done + longestRange - 1)
    parts.push({ ...item, start, end: item.start + last * direction })
  }
  return parts
}

function isRange(item: unknown): item is Range {
  if (typeof item !== "object" || item === null) return false
  const range = item as Partial<Range>
  return range.type === "Range" && typeof range.start === "number" && typeof range.end === "number"
}

/**
 * With `run="ls -l"`, the shell looks for a command with the name "ls -l" when it reads `$run`. When
 * a name comes out empty it takes the first argument instead, and arguments are split into words: so
 * such a name is made the first argument.
 */
function splitName(command: SimpleCommandNode): void {
  if (!command.name || !comesApart(command.name)) return
  command.args = [command.name, ...command.args]
  command.name = emptyWord()
}

/** Whether something in it is expanded without quotes. */
function comesApart(word: WordNode): boolean {
  return word.parts.some(
    (part) => part.type === "ParameterExpansion" || part.type === "CommandSubstitution",
  )
}

const emptyWord = () => wordOf(`\${_nothing_at_all-}`)

/** `for f; do` splits the parameters into words; `for f in "$@"; do` leaves them whole. */
const quotedParameters = () => wordOf('"$@"')

function wordOf(source: string): WordNode {
  const [command] = parse(source).statements[0]?.pipelines[0]?.commands ?? []
  if (command?.type !== "SimpleCommand" || !command.name)
    throw new Error("The shell parsed a word into nothing")
  return command.name
}

/**
 * What ends with "&" runs in the script's own shell: its `exit` would end that, and its failure be the script's. So
 * `command &` is made into `(command) || :`.
 */
function inSubshell(statement: StatementNode): void {
  if (!statement.background) return
  const { pipelines, operators } = statement
  const inner: StatementNode = { type: "Statement", pipelines, operators, background: false }
  const commands: PipelineNode["commands"] = [{ type: "Subshell", body: [inner], redirections: [] }]
  const [well] = parse(":").statements[0]?.pipelines ?? []
  statement.pipelines = [{ type: "Pipeline", commands, negated: false }, ...(well ? [well] : [])]
  statement.operators = well ? ["||"] : []
  statement.background = false
}

type PipelineNode = StatementNode["pipelines"][number]

/** Descriptors that scripts hardly use themselves. */
const firstDescriptor = 200

/**
 * A file that can't be opened for `> file` ends the shell's whole script; for `200> file` it fails
 * the one command, as it should. So `> file` is made into `200> file >&200`.
 */
function openFirst(redirection: Redirection, index: number): Redirection[] {
  const { fd, operator, target } = redirection
  const isOutput = operator.startsWith(">") && operator !== ">&"
  const both = operator === "&>" || operator === "&>>"
  if (redirection.fdVariable || target.type !== "Word" || isDevice(target)) return [redirection]
  if (!both && !(isOutput && (fd === null || fd === 1 || fd === 2))) return [redirection]
  const descriptor = firstDescriptor + index
  const opening: Redirection = {
    type: "Redirection",
    fd: descriptor,
    operator: operator.endsWith(">>") ? ">>" : operator === ">|" ? ">|" : ">",
    target,
  }
  const targets = both ? [1, 2] : [fd ?? 1]
  return [opening, ...targets.map((to) => copy(to, descriptor))]
}

function copy(to: number, from: number): Redirection {
  const target: WordNode = { type: "Word", parts: [{ type: "Literal", value: String(from) }] }
  return { type: "Redirection", fd: to, operator: ">&", target }
}

/** The shell treats these names itself. */
function isDevice({ parts: [part] }: WordNode): boolean {
  return part?.type === "Literal" && part.value.startsWith("/dev/")
}
