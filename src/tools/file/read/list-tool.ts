import { defineTool, limits, requirePath } from "../../../contract/index.ts"
import { namedSandbox, sandboxArgument } from "../../sandbox-argument.ts"
import { listDirectory } from "./list-directory.ts"
import { listingSchema } from "./listing-schema.ts"

const inputSchema = {
  type: "object",
  properties: {
    path: {
      type: "string",
      minLength: 1,
      default: ".",
      description: 'The directory, such as "src".',
    },
    recursive: {
      type: "boolean",
      default: false,
      description: "Also what is in the directories below, nearest first.",
    },
    limit: {
      type: "integer",
      minimum: 1,
      maximum: limits.file.listingEntriesMost,
      default: limits.listingEntries,
      description: "How many entries at most, such as 50.",
    },
    sandbox: sandboxArgument,
  },
  additionalProperties: false,
} as const

/** file.list: the entries of a directory, each with a path that is ready for the next call. */
export function listTool() {
  return defineTool({
    name: "file.list",
    title: "List a directory",
    description:
      "Lists a directory, sorted by name; hidden files too, links not followed. Each entry has a path to use in the " +
      'next call. entry_count counts the entries in this answer; truncated says that there are more. Example: {"path": "src", "recursive": true}.',
    input: inputSchema,
    output: listingSchema,
    groups: ["fs"],
    effects: ["read"],
    pathArguments: ["path"],
    paths: (input) => [{ path: input.path, mode: "read" }],
    sandbox: namedSandbox,
    async run(input, context) {
      const workspace = await context.workspace()
      requirePath(input.path, workspace, "path")
      return listDirectory(workspace, { ...input, context })
    },
  })
}
