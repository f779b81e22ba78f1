import { defineTool, object } from "../../contract/index.ts"
import type { ToolDeps } from "../tool-deps.ts"
import { defaultImage, describeSandbox, sandboxFields, showDescribed } from "./sandbox-status.ts"

/** sandbox.list: the sandboxes that were made, running or asleep. Wakes none of them. */
export function listSandboxesTool({ sandboxes }: ToolDeps) {
  return defineTool({
    name: "sandbox.list",
    title: "List the sandboxes",
    description:
      "Lists this session's sandboxes with their image, status (running or sleeping) and network. Wakes none. Example: {}.",
    input: object({}),
    output: object({
      kind: { const: "sandboxes" },
      sandboxes: {
        type: "array",
        items: object({ name: { type: "string" }, ...sandboxFields }),
      },
    }),
    groups: ["runtime"],
    effects: ["read"],
    async run() {
      const image = await defaultImage(sandboxes)
      const all = sandboxes
        .list()
        .map((one) => ({ name: one.name, ...describeSandbox(one, image) }))
      return { kind: "sandboxes", sandboxes: all }
    },
    show: (result) =>
      result.sandboxes.map((one) => `${one.name}: ${showDescribed(one)}`).join("\n") ||
      "No sandbox was used yet.",
  })
}
