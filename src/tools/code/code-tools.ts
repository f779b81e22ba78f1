import type { Capabilities, CodeLanguage } from "../../contract/index.ts"
import { runTool } from "./run-tool.ts"

/** The tool for programs given as text, where there is a language that it can be in. */
export function codeTools(can: Capabilities) {
  const [first, ...others] = Object.keys(can.languages) as CodeLanguage[]
  return first === undefined ? [] : [runTool([first, ...others])]
}
