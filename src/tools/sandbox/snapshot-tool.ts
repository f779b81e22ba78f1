import { defineTool } from "../../contract/index.ts"
import { namedSandbox } from "../sandbox-argument.ts"
import { object } from "../schemas.ts"
import type { ToolDeps } from "../tool-deps.ts"
import { sandboxName } from "./sandbox-name.ts"

const outputSchema = object({
  kind: { const: "snapshot" },
  sandbox: { type: "string" },
  snapshot: { type: "string" },
})

/** sandbox.snapshot: the files as they are, for other sandboxes to start with. */
export function snapshotTool({ sandboxes }: ToolDeps) {
  return defineTool({
    name: "sandbox.snapshot",
    title: "Snapshot a sandbox",
    description:
      "Holds the files of a sandbox as they are now. sandbox.create with from makes new sandboxes that start with them. " +
      'Ends the processes of the sandbox; its files go on. Example: {"sandbox": "builder"}.',
    input: object({
      sandbox: sandboxName('The sandbox whose files to hold, such as "builder".'),
    }),
    output: outputSchema,
    groups: ["runtime"],
    effects: ["execute"],
    sandbox: namedSandbox,
    async run({ sandbox }) {
      return { kind: "snapshot" as const, sandbox, snapshot: await sandboxes.holdSnapshot(sandbox) }
    },
    show: ({ snapshot, sandbox }) => `${snapshot} holds the files of ${sandbox}.`,
  })
}
