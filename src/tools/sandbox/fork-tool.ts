import { defineTool, object, type ToolFailure } from "../../contract/index.ts"
import { invalidArgument, namedSandbox, sandboxName } from "../arguments.ts"
import type { ToolDeps } from "../tool-deps.ts"
import { describeNew, requireName, sandboxFields, showSandbox } from "./sandbox-status.ts"

/** sandbox.fork: a second sandbox with the files of the first. */
export function forkTool({ sandboxes }: ToolDeps) {
  return defineTool({
    name: "sandbox.fork",
    title: "Fork a sandbox",
    description:
      "Creates a sandbox with the files, image, network and limits of another. " +
      'Ends the processes of the first; its files stay. Example: {"sandbox": "builder", "to": "builder-try"}.',
    input: object({
      sandbox: sandboxName("Which one."),
      to: sandboxName("The name of the new one."),
    }),
    output: object({
      kind: { const: "sandbox" },
      sandbox: { type: "string" },
      created: { const: true },
      from_sandbox: { type: "string" },
      ...sandboxFields,
    }),
    groups: ["runtime"],
    effects: ["execute"],
    sandbox: namedSandbox,
    async run({ sandbox, to }) {
      requireName(to, "to")
      if (sandboxes.list().some(({ name }) => name === to)) throw isTaken(to)
      await sandboxes.fork(sandbox, to)
      const described = await describeNew(sandboxes, to)
      return {
        kind: "sandbox",
        sandbox: to,
        created: true,
        from_sandbox: sandbox,
        ...described,
      }
    },
    show: showSandbox,
  })
}

function isTaken(name: string): ToolFailure {
  return invalidArgument(
    "to",
    `There is a sandbox "${name}" already.`,
    "a name that no sandbox has",
  )
}
