import type { Tool } from "../contract/index.ts"
import { fileTools } from "./file/file-tools.ts"
import { shellTools } from "./shell/shell-tools.ts"
import { type SystemFacts, systemTools } from "./system/system-tools.ts"

/** Every canonical tool that a host with these capabilities can offer, always in the same order. */
export function canonicalTools(facts: SystemFacts): readonly Tool[] {
  return [...fileTools(facts.can), ...shellTools(facts.can), ...systemTools(facts)]
}
