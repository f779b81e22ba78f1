import {
  type CallContext,
  defineTool,
  type InferSchema,
  limits,
  requirePath,
  type Tool,
  ToolFailure,
  type Workspace,
} from "../../contract/index.ts"
import { WorkspaceError } from "../../sandbox/index.ts"
import { namedSandbox, sandboxArgument } from "../sandbox-argument.ts"
import { applyEdits } from "./apply-edits.ts"
import { bytesFrom, textFrom } from "./text-bytes.ts"
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
export function editTool(): Tool {
  return defineTool({
    name: "file.edit",
    title: "Edit a file",
    description:
      "Replaces exact text in a file and answers with a diff. Read the file first and copy search from it. " +
      'Example: {"path": "src/main.ts", "edits": [{"search": "port = 80", "replace": "port = 8080"}]}.',
    inputSchema,
    groups: ["fs"],
    effects: ["read", "write"],
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
  const before = await readWhole(workspace, path, signal)
  const text = textFrom(before)
  if (text === null) throw notText(input.path)
  const edited = applyEdits(text, input.edits)
  const diff = await unifiedDiff(input.path, text, edited.text)
  await requireUnchanged(workspace, path, { before, signal })
  await workspace.writeFile(path, bytesFrom(edited.text, "edits"), { signal })
  if (diff === null) context.warn("Too many lines changed to show a diff.")
  return {
    kind: "edit",
    path: input.path,
    replacements: edited.replacements,
    ...(diff === null ? {} : { diff }),
  }
}

async function readWhole(
  workspace: Workspace,
  path: string,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const { type, size } = await workspace.stat(path, { signal })
  if (type === "directory") throw new WorkspaceError("is-directory", path)
  if (type === "other") throw new WorkspaceError("not-file", path)
  const most = limits.file.editBytes
  if (size <= most) {
    const bytes = await workspace.readFileBuffer(path, { length: most + 1, signal })
    if (bytes.length <= most) return bytes
  }
  throw new ToolFailure({
    kind: "invalid_args",
    message: `The file has ${size} bytes; at most ${most} can be edited. Use a command such as sed.`,
    field: "path",
    expected: `a file of at most ${most} bytes`,
  })
}

/** A command may have written to the file meanwhile; its work is not to be lost. */
async function requireUnchanged(
  workspace: Workspace,
  path: string,
  read: { readonly before: Uint8Array; readonly signal: AbortSignal },
): Promise<void> {
  const { before, signal } = read
  const now = await workspace.readFileBuffer(path, { length: before.length + 1, signal })
  if (now.length === before.length && Buffer.compare(now, before) === 0) return
  throw new ToolFailure({
    kind: "execution_error",
    message: "The file was changed by something else during this edit. Read it again, then edit.",
  })
}

function notText(path: string): ToolFailure {
  return new ToolFailure({
    kind: "invalid_args",
    message: `${JSON.stringify(path)} is not UTF-8 text, so it can't be edited as text.`,
    field: "path",
    expected: "a UTF-8 text file",
  })
}
