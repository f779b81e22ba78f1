import { parse, type SimpleCommandNode, type TransformPlugin } from "just-bash"
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
