import { defineTool, flag, object, requirePath, text } from "../../contract/index.ts"
import { poolLimits } from "../../sandbox/index.ts"
import { sandboxName } from "../arguments.ts"
import type { ToolDeps } from "../tool-deps.ts"
import { isKnown, requireKnown, requireName } from "./sandbox-status.ts"

/** sandbox.transfer: a file or a tree from one sandbox to another, as a stream through this process. */
export function transferTool({ sandboxes }: ToolDeps) {
  return defineTool({
    name: "sandbox.transfer",
    title: "Copy files between sandboxes",
    description:
      "Copies a file or directory from one sandbox to another, with permissions and links. " +
      'Example: {"from_sandbox": "frontend", "from_path": "app/dist", "to_sandbox": "backend", "to_path": "app/static", "recursive": true}.',
    input: object({
      from_sandbox: sandboxName("Which has it."),
      from_path: text("The file or directory."),
      to_sandbox: sandboxName("Which gets it; created if missing."),
      to_path: text("Its own path there."),
      recursive: flag("Needed for a directory."),
    }),
    output: object({
      kind: { const: "transfer" },
      from_sandbox: { type: "string" },
      from_path: { type: "string" },
      to_sandbox: { type: "string" },
      to_path: { type: "string" },
      bytes: { type: "integer" },
    }),
    groups: ["runtime"],
    effects: ["read", "write"],
    pathArguments: ["from_path", "to_path"],
    // A large tree may take longer than other tools do.
    timeoutMs: poolLimits.transferMs,
    sandbox: (input) => input.to_sandbox,
    pathSandboxes: ({ from_sandbox, to_sandbox }) => [
      ...(isKnown(sandboxes, from_sandbox) ? [from_sandbox] : []),
      to_sandbox,
    ],
    async run(input, { signal }) {
      const { from_sandbox, to_sandbox, recursive } = input
      if (!isKnown(sandboxes, from_sandbox)) requireKnown(sandboxes, from_sandbox, "from_sandbox")
      requireName(to_sandbox, "to_sandbox")
      const [from, to] = [
        await sandboxes.workspace(from_sandbox),
        await sandboxes.workspace(to_sandbox),
      ]
      const from_path = requirePath(input.from_path, from, "from_path")
      const to_path = requirePath(input.to_path, to, "to_path")
      const { bytes } = await sandboxes.transfer(
        { sandbox: from_sandbox, path: from_path },
        { sandbox: to_sandbox, path: to_path },
        { recursive, signal },
      )
      return { kind: "transfer", from_sandbox, from_path, to_sandbox, to_path, bytes }
    },
    show: (copied) =>
      `Copied ${copied.bytes} bytes from ${copied.from_path} in ${copied.from_sandbox} to ${copied.to_path} in ${copied.to_sandbox}.`,
  })
}
