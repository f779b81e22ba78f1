import type { Capabilities } from "../../contract/index.ts"

/** Where sandboxes see the programs that are injected. */
export const injectedDirectory = "/run/toolkeep-bin"

/** How Node is called in every sandbox that has processes, once it was injected there. */
export const injectedNode = `${injectedDirectory}/node`

/** What the injected Node understands, and how it is called with the code as its last argument. */
export function nodeLanguages(): Pick<Capabilities["languages"], "javascript" | "typescript"> {
  const javascript = [injectedNode, "-e"]
  if (process.features.typescript !== "strip") return { javascript }
  return { javascript, typescript: [injectedNode, "--input-type=module-typescript", "-e"] }
}
