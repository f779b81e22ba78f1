import { defineTool, type InferSchema, type PathUse, showLines } from "../../../contract/index.ts"
import { namedSandbox, sandboxArgument } from "../../arguments.ts"
import { fileLimits } from "../../limits.ts"
import { object, text } from "../../schemas.ts"
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
      "Applies a unified diff to text files: all of it, or nothing when one hunk does not match. Context lines must match to the letter; " +
      'line numbers may be a little off. Example: {"patch": "--- a/x.txt\\n+++ b/x.txt\\n@@ -1 +1 @@\\n-old\\n+new\\n"}.',
    input: object({
      patch: text(
        'A unified diff of one or more files, as `diff -u` and `git diff` write it, such as "--- a/x.txt\\n+++ b/x.txt\\n@@ -1 +1 @@\\n-old\\n+new\\n". ' +
          "/dev/null as a name adds or deletes a file; git's rename lines rename one.",
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
    show: ({ files }) => showLines(...files.map((file) => `${file.change}: ${file.path}`)),
  })
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
