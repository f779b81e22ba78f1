import {
  type CallContext,
  defineTool,
  type InferSchema,
  limits,
  requirePath,
} from "../../../contract/index.ts"
import { namedSandbox, sandboxArgument } from "../../sandbox-argument.ts"
import { bytesFrom } from "../read/text-bytes.ts"
import { applyEdits } from "./apply-edits.ts"
import { readEditable, requireUnchanged } from "./read-editable.ts"
import { unifiedDiff } from "./unified-diff.ts"

const inputSchema = {
  type: "object",
  properties: {
    path: { type: "string", minLength: 1, description: 'The file, such as "src/main.ts".' },
    edits: {
      type: "array",
      minItems: 1,
      maxItems: limits.file.edits,
      description:
        "Applied in order, each to what the one before it left. All are applied or none.",
      items: {
        type: "object",
        properties: {
          search: {
            type: "string",
            minLength: 1,
            description:
              'The exact text to replace, white space and line ends included, such as "const port = 80\\n".',
          },
          replace: {
            type: "string",
            minLength: 0,
            description: 'What stands there instead, taken literally; "" deletes.',
          },
          all: {
            type: "boolean",
            default: false,
            description: "Replace every match. Without it, search must match exactly once.",
          },
        },
        required: ["search", "replace"],
        additionalProperties: false,
      },
    },
    sandbox: sandboxArgument,
  },
  required: ["path", "edits"],
  additionalProperties: false,
} as const

/** file.edit: exact replacements in a text file, all or none of them. */
export function editTool() {
  return defineTool({
    name: "file.edit",
    title: "Edit a file",
    description:
      "Replaces exact text in a file and answers with a diff. Read the file first and copy search from it. " +
      'Example: {"path": "src/main.ts", "edits": [{"search": "port = 80", "replace": "port = 8080"}]}.',
    input: inputSchema,
    output: {
      type: "object",
      properties: {
        kind: { const: "edit" },
        path: { type: "string" },
        replacements: { type: "integer" },
        diff: { type: "string", description: "Left out where too many lines changed." },
      },
      required: ["kind", "path", "replacements"],
      additionalProperties: false,
    },
    groups: ["fs"],
    effects: ["read", "write"],
    pathArguments: ["path"],
    paths: (input) => [{ path: input.path, mode: "write" }],
    sandbox: namedSandbox,
    run: editText,
  })
}

async function editText(input: InferSchema<typeof inputSchema>, context: CallContext) {
  const { signal } = context
  for (const [index, edit] of input.edits.entries()) {
    bytesFrom(edit.replace, `edits[${index}].replace`)
  }
  const workspace = await context.workspace()
  const path = requirePath(input.path, workspace, "path")
  const place = { workspace, path, shown: input.path, field: "path", signal }
  const { bytes, text } = await readEditable(place)
  const edited = await applyEdits(text, input.edits, signal)
  const diff = await unifiedDiff(input.path, text, edited.text)
  await requireUnchanged(place, bytes)
  await workspace.writeFile(path, bytesFrom(edited.text, "edits"), { signal })
  if (diff === null) context.warn("Too many lines changed to show a diff.")
  return {
    kind: "edit" as const,
    path: input.path,
    replacements: edited.replacements,
    ...(diff === null ? {} : { diff }),
  }
}
