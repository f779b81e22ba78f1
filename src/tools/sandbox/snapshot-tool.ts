import { defineTool, object } from "../../contract/index.ts"
import { namedSandbox, sandboxName } from "../arguments.ts"
import type { ToolDeps } from "../tool-deps.ts"

/** sandbox.snapshot: the files as they are, for other sandboxes to start with. */
export function snapshotTool({ sandboxes }: ToolDeps) {
  return defineTool({
    name: "sandbox.snapshot",
    title: "Snapshot a sandbox",
    description:
      "Keeps the files of a sandbox as they are, for sandboxes that sandbox.create creates from them. " +
      'Ends its processes. Example: {"sandbox": "builder"}.',
    input: object({
      sandbox: sandboxName("Whose files."),
    }),
    output: object({
      kind: { const: "snapshot" },
      sandbox: { type: "string" },
      snapshot: { type: "string" },
    }),
    groups: ["runtime"],
    effects: ["execute"],
    sandbox: namedSandbox,
    async run({ sandbox }) {
      return { kind: "snapshot", sandbox, snapshot: await sandboxes.holdSnapshot(sandbox) }
    },
    show: ({ snapshot, sandbox }) => `${snapshot} holds the files of ${sandbox}.`,
  })
}
