import { defineTool, object } from "../../contract/index.ts"
import { namedSandbox, sandboxName } from "../arguments.ts"
import type { ToolDeps } from "../tool-deps.ts"

/** sandbox.destroy: ends its processes and removes its files. */
export function destroyTool({ sandboxes }: ToolDeps) {
  return defineTool({
    name: "sandbox.destroy",
    title: "Destroy a sandbox",
    description:
      "Ends everything in a sandbox, removes its files and frees its name. Snapshots stay. " +
      'Example: {"sandbox": "builder-try"}.',
    input: object({
      sandbox: sandboxName("Which one."),
    }),
    output: object({
      kind: { const: "sandbox" },
      sandbox: { type: "string" },
      destroyed: { const: true },
    }),
    groups: ["runtime"],
    effects: ["write", "execute"],
    sandbox: namedSandbox,
    async run({ sandbox }) {
      await sandboxes.destroySandbox(sandbox)
      return { kind: "sandbox", sandbox, destroyed: true }
    },
    show: ({ sandbox }) => `Destroyed ${sandbox}.`,
  })
}
