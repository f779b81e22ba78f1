import {
  defineTool,
  flag,
  object,
  requirePath,
  ToolFailure,
  text,
} from "../../../contract/index.ts"
import { WorkspaceError } from "../../../sandbox/index.ts"
import { namedSandbox, sandboxArgument } from "../../arguments.ts"

/** file.remove: a file, a link, or a directory. */
export function removeTool() {
  return defineTool({
    name: "file.remove",
    title: "Remove a file",
    description:
      "Permanently removes a file or an empty directory. Of a link, never what it leads to. " +
      'Example: {"path": "build", "recursive": true}.',
    input: object({
      path: text("A file, link or directory."),
      recursive: flag("Also a directory with everything in it."),
      "sandbox?": sandboxArgument,
    }),
    output: object({
      kind: { const: "remove" },
      path: { type: "string" },
    }),
    groups: ["fs"],
    effects: ["write"],
    pathArguments: ["path"],
    paths: (input) => [{ path: input.path, mode: "write" }],
    sandbox: namedSandbox,
    async run({ path, recursive }, { workspace, signal }) {
      const files = await workspace()
      try {
        await files.remove(requirePath(path, files, "path"), { recursive, signal })
      } catch (error) {
        throw error instanceof WorkspaceError && error.code === "not-empty"
          ? needsRecursive(error)
          : error
      }
      return { kind: "remove", path }
    },
    show: ({ path }) => `Removed ${path}.`,
  })
}

function needsRecursive(cause: WorkspaceError): ToolFailure {
  return new ToolFailure(
    {
      kind: "invalid_args",
      message: `${cause.message} Set recursive to true to remove all of it.`,
      field: "recursive",
      expected: "true for a directory with something in it",
    },
    { cause },
  )
}
