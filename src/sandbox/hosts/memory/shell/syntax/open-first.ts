import type { SimpleCommandNode, TransformPlugin, WordNode } from "just-bash"
import { visitNodes } from "./visit-nodes.ts"

type Redirection = SimpleCommandNode["redirections"][number]

/** Descriptors that scripts hardly use themselves. */
const firstDescriptor = 200

/**
 * A file that can't be opened for `> file` ends the shell's whole script; for `200> file` it fails
 * the one command, as it should. So `> file` is made into `200> file >&200`.
 */
export const openFirst: TransformPlugin = {
  name: "open-first",
  transform({ ast }) {
    visitNodes(ast, (node) => {
      if (hasRedirections(node)) node.redirections = node.redirections.flatMap(split)
    })
    return { ast }
  },
}

function hasRedirections(node: object): node is { redirections: Redirection[] } {
  return "redirections" in node && Array.isArray(node.redirections)
}

function split(redirection: Redirection, index: number): Redirection[] {
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
