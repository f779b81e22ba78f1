import {
  defineTool,
  flag,
  integer,
  limits,
  object,
  showLines,
  text,
} from "../../../contract/index.ts"
import { WorkspaceError } from "../../../sandbox/index.ts"
import { namedSandbox, sandboxArgument } from "../../arguments.ts"
import { fileLimits } from "../../limits.ts"
import { takeFitting } from "../../take-fitting.ts"
import { pathInside } from "../read/list-tool.ts"
import { expandGlob } from "./expand-glob.ts"
import { listFiles } from "./list-files.ts"
import { findScope, ignoredArgument, moreMatches, noMatches, requireGlob } from "./search-scope.ts"

/** file.glob: the files whose path matches a pattern. */
export function globTool() {
  return defineTool({
    name: "file.glob",
    title: "Find files",
    description:
      "Finds files by name, sorted, without directories, hidden files and what .gitignore names. " +
      'Each is a path for the next call. Example: {"pattern": "src/**/*.test.ts"}.',
    input: object({
      pattern: text('Relative to path; without a slash, at any depth: "*.{ts,tsx}".', {
        maxLength: fileLimits.patternCharacters,
      }),
      path: text('Where to look, such as "packages/web".', { default: "." }),
      include_hidden: flag(
        'Wildcards match dots too; ".github/**" needs no flag. git\'s own files: path ".git".',
      ),
      include_ignored: ignoredArgument,
      as_shell: flag("Match as a shell does, directories too."),
      limit: integer("At most this many, such as 50.", {
        minimum: 1,
        maximum: fileLimits.listingEntriesMost,
        default: limits.listingEntries,
      }),
      "sandbox?": sandboxArgument,
    }),
    output: object({
      kind: { const: "search" },
      pattern: { type: "string" },
      path: { type: "string" },
      files: { type: "array", items: { type: "string" } },
      count: { type: "integer", description: "Of the files in this answer." },
      truncated: { type: "boolean", description: "There are more." },
    }),
    groups: ["fs"],
    effects: ["read"],
    pathArguments: ["path"],
    sandbox: namedSandbox,
    async run(input, context) {
      const { pattern, path, include_hidden: hidden } = input
      const workspace = await context.workspace()
      const scope = await findScope(workspace, path, context.signal)
      if (scope.file !== null) throw new WorkspaceError("not-directory", path)
      const { directory } = scope
      if (input.as_shell) {
        const found = await expandGlob(
          workspace,
          { pattern, directory, limit: input.limit },
          context,
        )
        const files = takeFitting(found.slice(0, input.limit))
        const truncated = files.length < found.length
        return { kind: "search", pattern, path, files, count: files.length, truncated }
      }
      const glob = requireGlob({ pattern, field: "pattern", directory, hidden })
      const found = await listFiles(workspace, { ...input, directory, glob }, context)
      const files = takeFitting(found.files.map((file) => pathInside(path, file)))
      return {
        kind: "search",
        pattern,
        path,
        files,
        count: files.length,
        truncated: found.truncated || files.length < found.files.length,
      }
    },
    show: ({ files, truncated }) =>
      showLines(...(files.length > 0 ? files : [noMatches]), truncated && moreMatches),
  })
}
