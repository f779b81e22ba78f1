import {
  defineTool,
  flag,
  type InferSchema,
  integer,
  mayBeBlank,
  object,
  showLines,
  text,
} from "../../../contract/index.ts"
import { invalidArgument, namedSandbox, sandboxArgument } from "../../arguments.ts"
import { fileLimits, searchLimits } from "../../limits.ts"
import { takeFitting } from "../../take-fitting.ts"
import { addContext, describeMatches, matchSchema, showMatch } from "./describe-matches.ts"
import { searchFiles } from "./search-files.ts"
import { findScope, ignoredArgument, moreMatches, noMatches, requireGlob } from "./search-scope.ts"

const input = object({
  pattern: text("An RE2 regular expression for one line.", {
    ...mayBeBlank,
    maxLength: fileLimits.patternCharacters,
  }),
  fixed: flag('pattern is plain text, such as "a[0].b(".'),
  path: text("A directory or a file.", { default: "." }),
  "glob?": text("Only these files.", {
    maxLength: fileLimits.patternCharacters,
  }),
  case_sensitive: { type: "boolean", default: true, description: "false: A also matches a." },
  context_lines: integer("Lines around each match, such as 2.", {
    minimum: 0,
    maximum: searchLimits.contextLines,
    default: 0,
  }),
  include_hidden: flag("Also dot files; never git's own."),
  include_ignored: ignoredArgument,
  limit: integer("At most this many lines, such as 20.", {
    minimum: 1,
    maximum: searchLimits.matchesMost,
    default: searchLimits.matches,
  }),
  "sandbox?": sandboxArgument,
})

export type GrepInput = InferSchema<typeof input>

/** file.grep: the lines that match a pattern. */
export function grepTool() {
  return defineTool({
    name: "file.grep",
    title: "Search in files",
    description:
      "Searches the lines of text files, but not in hidden files and what .gitignore names. " +
      'Example: {"pattern": "TODO", "path": "src", "glob": "*.ts"}.',
    input,
    output: object({
      kind: { const: "search" },
      pattern: { type: "string" },
      path: { type: "string" },
      matches: { type: "array", items: matchSchema },
      match_count: { type: "integer", description: "Of the matches in this answer." },
      file_count: { type: "integer" },
      truncated: { type: "boolean", description: "There are more." },
    }),
    groups: ["fs"],
    effects: ["read"],
    pathArguments: ["path"],
    sandbox: namedSandbox,
    async run(input, context) {
      requireOneLine(input)
      const workspace = await context.workspace()
      const scope = await findScope(workspace, input.path, context.signal)
      const { glob: pattern, include_hidden: hidden } = input
      const { directory } = scope
      const glob =
        pattern === undefined ? null : requireGlob({ pattern, field: "glob", directory, hidden })
      const query = { ...input, scope, glob }
      const { results, truncated } = await searchFiles(workspace, query, context)
      const files = results.files()
      const lines = input.context_lines
      if (lines > 0 && !results.hasContext) {
        const place = { workspace, scope, signal: context.signal }
        for (const file of files) await addContext(file, lines, place)
      }
      const all = files.flatMap((file) => describeMatches(file, scope, lines))
      const matches = takeFitting(all)
      return {
        kind: "search",
        pattern: input.pattern,
        path: input.path,
        matches,
        match_count: matches.length,
        file_count: new Set(matches.map((match) => match.path)).size,
        truncated: truncated || matches.length < all.length,
      }
    },
    show: ({ matches, truncated }) =>
      showLines(
        ...(matches.length > 0 ? matches.flatMap(showMatch) : [noMatches]),
        truncated && moreMatches,
      ),
  })
}

/** Refused before the search, since builds of ripgrep differ: some find nothing, without a word. */
function requireOneLine(input: GrepInput): void {
  const escaped = !input.fixed && /(?<!\\)(?:\\\\)*\\n/.test(input.pattern)
  if (!escaped && !input.pattern.includes("\n")) return
  throw invalidArgument(
    "pattern",
    "The search goes line by line, so a pattern with a line end matches nothing.",
    "a pattern within one line; use context_lines to see the lines around it",
  )
}
