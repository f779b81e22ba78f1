import {
  cutText,
  defineTool,
  flag,
  mayBeBlank,
  object,
  requirePath,
  text,
} from "../../../contract/index.ts"
import { unifiedDiff } from "../../../node/index.ts"
import { namedSandbox, sandboxArgument } from "../../arguments.ts"
import { fileLimits } from "../../limits.ts"
import { bytesFrom } from "../read/text-bytes.ts"
import { applyEdits } from "./apply-edits.ts"
import { readEditable, requireUnchanged } from "./read-editable.ts"

/** file.edit: exact replacements in a text file, all or none of them. */
export function editTool() {
  return defineTool({
    name: "file.edit",
    title: "Edit a file",
    description:
      "Replaces exact text in a file, all edits or none, and answers with a diff. Read the file first. " +
      'Example: {"path": "src/main.ts", "edits": [{"search": "port = 80", "replace": "port = 8080"}]}.',
    input: object({
      path: text("The file."),
      edits: {
        type: "array",
        minItems: 1,
        maxItems: fileLimits.edits,
        description: "Applied in order.",
        items: object({
          search: text("The exact text, with its white space.", mayBeBlank),
          replace: text('What stands there instead; "" deletes.', {
            minLength: 0,
          }),
          all: flag("Replace every match; without it, there must be exactly one."),
        }),
      },
      "sandbox?": sandboxArgument,
    }),
    output: object({
      kind: { const: "edit" },
      path: { type: "string" },
      replacements: { type: "integer" },
      "diff?": { type: "string", description: "Left out where too many lines changed." },
    }),
    groups: ["fs"],
    effects: ["read", "write"],
    pathArguments: ["path"],
    paths: (input) => [{ path: input.path, mode: "write" }],
    sandbox: namedSandbox,
    async run({ path: shown, edits }, context) {
      const { signal } = context
      for (const [index, edit] of edits.entries()) {
        bytesFrom(edit.replace, `edits[${index}].replace`)
      }
      const workspace = await context.workspace()
      const path = requirePath(shown, workspace, "path")
      const place = { workspace, path, shown, field: "path", signal }
      const { bytes, text } = await readEditable(place)
      const edited = await applyEdits(text, edits, signal)
      const diff = await diffOf(shown, text, edited.text)
      await requireUnchanged(place, bytes)
      await workspace.writeFile(path, bytesFrom(edited.text, "edits"), { signal })
      if (diff === null) context.warn("Too many lines changed to show a diff.")
      return {
        kind: "edit",
        path: shown,
        replacements: edited.replacements,
        ...(diff === null ? {} : { diff }),
      }
    },
    show: ({ path, diff, replacements }) => diff || `${path}: ${replacements} replaced.`,
  })
}

/** A unified diff for the model to check, or null where one would not help or takes too long to make. */
async function diffOf(path: string, before: string, after: string): Promise<string | null> {
  const { diffFileLines: lines, diffLines: changedLines, diffMs: milliseconds } = fileLimits
  const patch = await unifiedDiff({ path, before, after }, { lines, changedLines, milliseconds })
  return patch === null ? null : cutText(patch, fileLimits.diffBytes).text
}
