import {
  type CallContext,
  defineTool,
  type InferSchema,
  limits,
  type PathUse,
} from "../../../contract/index.ts"
import { namedSandbox, sandboxArgument } from "../../sandbox-argument.ts"
import { parsePatch } from "./parse-patch.ts"

const inputSchema = {
  type: "object",
  properties: {
    patch: {
      type: "string",
      minLength: 1,
      maxLength: limits.file.patchCharacters,
      description:
        'A unified diff of one or more files, as `diff -u` and `git diff` write it, such as "--- a/x.txt\\n+++ b/x.txt\\n@@ -1 +1 @@\\n-old\\n+new\\n". ' +
        "/dev/null as a name adds or deletes a file; git's rename lines rename one.",
    },
    sandbox: sandboxArgument,
  },
  required: ["patch"],
  additionalProperties: false,
} as const

/** file.patch: a unified diff over any number of text files, all of it or nothing. */
export function patchTool() {
  return defineTool({
    name: "file.patch",
    title: "Apply a patch",
    description:
      "Applies a unified diff to text files: all of it, or nothing when one hunk does not match. Context lines must match to the letter; " +
      'line numbers may be a little off. Example: {"patch": "--- a/x.txt\\n+++ b/x.txt\\n@@ -1 +1 @@\\n-old\\n+new\\n"}.',
    input: inputSchema,
    output: {
      type: "object",
      properties: {
        kind: { const: "patch" },
        files: {
          type: "array",
          items: {
            type: "object",
            properties: {
              path: { type: "string" },
              from: { type: "string", description: "What a renamed file was called." },
              change: { enum: ["added", "modified", "deleted", "renamed"] },
              hunks: { type: "integer" },
              lines_added: { type: "integer" },
              lines_removed: { type: "integer" },
            },
            required: ["path", "change", "hunks", "lines_added", "lines_removed"],
            additionalProperties: false,
          },
        },
        file_count: { type: "integer" },
      },
      required: ["kind", "files", "file_count"],
      additionalProperties: false,
    },
    groups: ["fs"],
    effects: ["read", "write"],
    paths: ({ patch }) => pathsOf(patch),
    sandbox: namedSandbox,
    async run(input: InferSchema<typeof inputSchema>, context: CallContext) {
      const { applyPatch } = await import("./apply-patch.ts")
      return applyPatch(input.patch, context)
    },
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
