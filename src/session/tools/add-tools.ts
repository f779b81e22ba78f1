import { asTool, DefinitionError, type Tool, type ToolObject } from "../../contract/index.ts"
import type { Vocabulary } from "../../dialects/index.ts"
import type { ToolRegistry } from "../../runtime/index.ts"
import { isReservedName } from "../../tools/index.ts"

export interface AddOptions {
  /** Whether they may have the names that are kept for the tools of an agent's session. */
  readonly reservedNames?: boolean | undefined
}

/** All of them or none. */
export function addTools(
  registry: ToolRegistry,
  tools: readonly (Tool | ToolObject)[],
  { vocabulary, reservedNames }: AddOptions & { readonly vocabulary: Vocabulary | undefined },
): () => void {
  const added: Tool[] = []
  const remove = () => {
    for (const tool of added.splice(0)) {
      if (registry.get(tool.name) === tool) registry.unregister(tool.name)
    }
  }
  try {
    for (const tool of tools.map(asTool)) {
      vocabulary?.requireFree(tool)
      added.push(registry.register(reservedNames ? tool : requireFreeName(tool, vocabulary)))
    }
  } catch (error) {
    remove()
    throw error
  }
  return remove
}

export function requireFreeName(tool: Tool, vocabulary: Vocabulary | undefined): Tool {
  vocabulary?.requireFree(tool)
  if (!isReservedName(tool.name)) return tool
  throw new DefinitionError(
    `Tool ${JSON.stringify(tool.name)}: the name is kept for a tool of sessions; choose another.`,
  )
}
