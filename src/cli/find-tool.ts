import type { ToolDescription } from "../contract/index.ts"
import { nearest } from "../kit/index.ts"
import { Misuse } from "./misuse.ts"

/** The tool of this name, or a Misuse that names the one most likely meant. */
export function findTool<Described extends ToolDescription>(
  tools: readonly Described[],
  name: string,
): Described {
  const found = tools.find((tool) => tool.name === name)
  if (found) return found
  const names = tools.map((tool) => tool.name)
  const close = nearest(name, names)
  const hint = close ? `did you mean ${close}?` : "toolkeep tools lists those there are."
  throw new Misuse(`there is no tool ${JSON.stringify(name)} here; ${hint}`)
}
