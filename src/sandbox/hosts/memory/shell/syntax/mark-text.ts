import {
  type Bash,
  type Command,
  type ExecResult,
  parse,
  type SimpleCommandNode,
  type TransformPlugin,
} from "just-bash"
import { textOfBytes } from "../byte-text.ts"
import { visitNodes } from "./visit-nodes.ts"

type Redirection = SimpleCommandNode["redirections"][number]

/** The variable that tells a command to answer with text. */
export const textMark = "_toolkeep_text"

/**
 * Commands may answer with bytes instead of text, and the shell forgets which it was when the
 * standard output is sent to the standard error. Commands of which that is asked are marked.
 */
export const markText: TransformPlugin = {
  name: "mark-text",
  transform({ ast }) {
    visitNodes(ast, (node) => {
      if (!isSimpleCommand(node) || !node.name || !node.redirections.some(leadsToErrors)) return
      node.assignments = [...markAssignment(), ...node.assignments]
    })
    return { ast }
  },
}

function isSimpleCommand(node: object): node is SimpleCommandNode {
  return "type" in node && node.type === "SimpleCommand"
}

function leadsToErrors({ fd, operator, target }: Redirection): boolean {
  if ((fd ?? 1) !== 1 || target.type !== "Word") return false
  if (operator === ">&") return true
  const [part] = target.parts
  return part?.type === "Literal" && part.value === "/dev/stderr"
}

function markAssignment(): SimpleCommandNode["assignments"] {
  const [command] = parse(`${textMark}=1`).statements[0]?.pipelines[0]?.commands ?? []
  return command?.type === "SimpleCommand" ? command.assignments : []
}

/** Has commands that `markText` marked answer with text where they would answer with bytes. */
export function keepText(bash: Bash): void {
  const { commands } = bash as unknown as { readonly commands: ReadonlyMap<string, Command> }
  for (const command of commands.values()) {
    const { execute } = command
    command.execute = async (parameters, context) => {
      const isMarked = context.env.has(textMark)
      const result = await execute(parameters, context)
      return isMarked ? asText(result) : result
    }
  }
}

function asText(result: ExecResult): ExecResult {
  const isBytes = result.stdoutKind === "bytes" || result.stdoutEncoding === "binary"
  if (!isBytes) return result
  const { stdoutEncoding: _stdoutEncoding, ...rest } = result
  return { ...rest, stdout: textOfBytes(Buffer.from(result.stdout, "latin1")), stdoutKind: "text" }
}
