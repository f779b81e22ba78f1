import { defineTool, limits, showLines } from "../../../contract/index.ts"
import { WorkspaceError } from "../../../sandbox/index.ts"
import { namedSandbox, sandboxArgument } from "../../arguments.ts"
import { fileLimits } from "../../limits.ts"
import { flag, integer, object, text } from "../../schemas.ts"
import { takeFitting } from "../../take-fitting.ts"
import { pathInside } from "../read/list-tool.ts"
import { listFiles } from "./list-files.ts"
import { findScope, ignoredArgument, requireGlob } from "./search-scope.ts"

/** file.glob: the files whose path matches a pattern. */
export function globTool() {
  return defineTool({
    name: "file.glob",
    title: "Find files",
    description:
      "Finds files by name, sorted; directories are not listed. Leaves out hidden files and what .gitignore names, " +
      'unless asked for. Each file is a path to use in the next call. Example: {"pattern": "src/**/*.test.ts"}.',
    input: object({
      pattern: text(
        'A glob relative to path, such as "src/**/*.{ts,tsx}" or "docs/*.md". Without a slash it matches at any depth: "*.json".',
        { maxLength: fileLimits.patternCharacters },
      ),
      path: text('The directory to look in, such as "packages/web".', { default: "." }),
      include_hidden: flag(
        'Wildcards also match names that start with a dot. A pattern that names one, such as ".github/**", needs no flag. git\'s own files stay out; use path ".git" for them.',
      ),
      include_ignored: ignoredArgument,
      limit: integer("How many files at most, such as 50.", {
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
    show: ({ files, truncated }) => showLines(...files, truncated && "[there are more]"),
  })
}
