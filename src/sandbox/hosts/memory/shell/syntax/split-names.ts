import { parse, type SimpleCommandNode, type TransformPlugin, type WordNode } from "just-bash"
import { visitNodes } from "./visit-nodes.ts"

/**
 * With `run="ls -l"`, the shell looks for a command with the name "ls -l" when it reads `$run`. When
 * a name comes out empty it takes the first argument instead, and arguments are split into words: so
 * such a name is made the first argument.
 */
export const splitNames: TransformPlugin = {
  name: "split-names",
  transform({ ast }) {
    visitNodes(ast, (node) => {
      if (isSimpleCommand(node) && node.name && comesApart(node.name)) {
        node.args = [node.name, ...node.args]
        node.name = emptyWord()
      }
    })
    return { ast }
  },
}

function isSimpleCommand(node: object): node is SimpleCommandNode {
  return "type" in node && node.type === "SimpleCommand"
}

/** Whether something in it is expanded without quotes. */
function comesApart(word: WordNode): boolean {
  return word.parts.some(
    (part) => part.type === "ParameterExpansion" || part.type === "CommandSubstitution",
  )
}

function emptyWord(): WordNode {
  const [command] = parse(`\${_nothing_at_all-}`).statements[0]?.pipelines[0]?.commands ?? []
  if (command?.type !== "SimpleCommand" || !command.name)
    throw new Error("The shell parsed a word into nothing")
  return command.name
}
