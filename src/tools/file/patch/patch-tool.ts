import {
  defineTool,
  type InferSchema,
  object,
  type PathUse,
  showLines,
  text,
} from "../../../contract/index.ts"
import { namedSandbox, sandboxArgument } from "../../arguments.ts"
import { fileLimits } from "../../limits.ts"
import { takeFitting } from "../../take-fitting.ts"
import { parsePatch } from "./parse-patch.ts"

const patchedFile = object({
  path: { type: "string" },
  "from?": { type: "string", description: "What a renamed file was called." },
  change: { enum: ["added", "modified", "deleted", "renamed"] },
  hunks: { type: "integer" },
  lines_added: { type: "integer" },
  lines_removed: { type: "integer" },
})

export type PatchedFile = InferSchema<typeof patchedFile>

/** file.patch: a unified diff over any number of text files, all of it or nothing. */
export function patchTool() {
  return defineTool({
    name: "file.patch",
    title: "Apply a patch",
    description:
      "Applies a unified diff to text files, all of it or nothing. Context lines must match to the letter; " +
      'line numbers may be a little off. Example: {"patch": "--- a/x.txt\\n+++ b/x.txt\\n@@ -1 +1 @@\\n-old\\n+new\\n"}.',
    input: object({
      patch: text(
        "As `diff -u` or `git diff` writes it, with git's renames, modes and links; /dev/null adds or deletes.",
        { maxLength: fileLimits.patchCharacters },
      ),
      "sandbox?": sandboxArgument,
    }),
    output: object({
      kind: { const: "patch" },
      files: { type: "array", items: patchedFile },
      file_count: { type: "integer" },
    }),
    groups: ["fs"],
    effects: ["read", "write"],
    paths: ({ patch }) => pathsOf(patch),
    sandbox: namedSandbox,
    async run({ patch }, context) {
      const { applyPatch } = await import("./apply-patch.ts")
      const changes = await applyPatch(patch, context)
      return { kind: "patch", files: takeFitting(changes), file_count: changes.length }
    },
    show: ({ files, file_count: count }) =>
      showLines(...files.map(showPatched), files.length < count && `[${count} files in all]`),
  })
}

function showPatched({ change, path, from, ...file }: PatchedFile): string {
  const before = from === undefined ? "" : ` (was ${from})`
  return `${change}: ${path}${before}, +${file.lines_added} -${file.lines_removed}`
}

/** Every file of the patch; none of one that can't be read, which the call then says. */
function pathsOf(patch: string): readonly PathUse[] {
  try {
    const names = parsePatch(patch).flatMap(({ from, to }) => [from, to])
    return names.filter((name) => name !== null).map((path): PathUse => ({ path, mode: "write" }))
  } catch {
    return []
  }
}
