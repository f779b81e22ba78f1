import { defineTool, ToolFailure } from "../../contract/index.ts"
import { namedSandbox } from "../sandbox-argument.ts"
import { object } from "../schemas.ts"
import type { ToolDeps } from "../tool-deps.ts"
import { describedProperties, describeNew, showSandbox } from "./described-sandbox.ts"
import { sandboxName } from "./sandbox-name.ts"

const outputSchema = object({
  kind: { const: "sandbox" },
  sandbox: { type: "string" },
  created: { const: true },
  from_sandbox: { type: "string" },
  ...describedProperties,
})

/** sandbox.fork: a second sandbox with the files of the first. */
export function forkTool({ sandboxes }: ToolDeps) {
  return defineTool({
    name: "sandbox.fork",
    title: "Fork a sandbox",
    description:
      "Makes a new sandbox with the files, image, network and limits of another; from then on each has its own. " +
      'Ends the processes of the first; its files go on. Example: {"sandbox": "builder", "to": "builder-try"}.',
    input: object({
      sandbox: sandboxName('The sandbox to fork, such as "builder".'),
      to: sandboxName('The name of the new one, such as "builder-try".'),
    }),
    output: outputSchema,
    groups: ["runtime"],
    effects: ["execute"],
    sandbox: namedSandbox,
    async run({ sandbox, to }) {
      if (sandboxes.list().some(({ name }) => name === to)) throw isTaken(to)
      await sandboxes.fork(sandbox, to)
      const described = await describeNew(sandboxes, to)
      return {
        kind: "sandbox" as const,
        sandbox: to,
        created: true as const,
        from_sandbox: sandbox,
        ...described,
      }
    },
    show: showSandbox,
  })
}

function isTaken(name: string): ToolFailure {
  return new ToolFailure({
    kind: "invalid_args",
    message: `There is a sandbox "${name}" already.`,
    field: "to",
    expected: "a name that no sandbox has",
  })
}
