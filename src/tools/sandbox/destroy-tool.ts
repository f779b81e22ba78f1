import { defineTool } from "../../contract/index.ts"
import { namedSandbox } from "../sandbox-argument.ts"
import { object } from "../schemas.ts"
import type { ToolDeps } from "../tool-deps.ts"
import { sandboxName } from "./sandbox-name.ts"

const outputSchema = object({
  kind: { const: "sandbox" },
  sandbox: { type: "string" },
  destroyed: { const: true },
})

/** sandbox.destroy: ends its processes and removes its files. */
export function destroyTool({ sandboxes }: ToolDeps) {
  return defineTool({
    name: "sandbox.destroy",
    title: "Destroy a sandbox",
    description:
      "Ends everything in a sandbox and frees its name. Its files are lost unless they were transferred or are in a snapshot. " +
      'Example: {"sandbox": "builder-try"}.',
    input: object({
      sandbox: sandboxName('The sandbox to destroy, such as "builder-try".'),
    }),
    output: outputSchema,
    groups: ["runtime"],
    effects: ["write", "execute"],
    sandbox: namedSandbox,
    async run({ sandbox }) {
      await sandboxes.destroySandbox(sandbox)
      return { kind: "sandbox" as const, sandbox, destroyed: true as const }
    },
    show: ({ sandbox }) => `Destroyed ${sandbox}.`,
  })
}
