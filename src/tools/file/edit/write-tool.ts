import {
  type Capabilities,
  defineTool,
  flag,
  object,
  requirePath,
  text,
  type Workspace,
  withoutProperties,
} from "../../../contract/index.ts"
import { WorkspaceError } from "../../../sandbox/index.ts"
import { namedSandbox, sandboxArgument } from "../../arguments.ts"
import { bytesFrom } from "../read/text-bytes.ts"

const input = object({
  path: text("The file."),
  content: text("The whole text, or with append what is added.", {
    minLength: 0,
  }),
  append: flag("Add to the end instead of replacing."),
  "mode?": {
    type: "string",
    pattern: "^[0-7]{3}$",
    description: 'Permissions of a new file, such as "755" for a script.',
  },
  "sandbox?": sandboxArgument,
})

/** file.write: makes, replaces or extends a text file; readers see the old or the new, never half. */
export function writeTool(can: Capabilities) {
  return defineTool({
    name: "file.write",
    title: "Write a file",
    description:
      "Writes a UTF-8 text file in place of what was there. Missing directories are created. " +
      'To change a part of a file, edit it. Example: {"path": "notes/today.md", "content": "# Today\\n"}.',
    input: withoutProperties(input, can.fileModes ? [] : ["mode"]),
    output: object({
      kind: { const: "write" },
      path: { type: "string" },
      bytes_written: { type: "integer" },
      size: { type: "integer", description: "The whole file's, in bytes." },
      created: { type: "boolean", description: "The file was not there before." },
    }),
    groups: ["fs"],
    effects: ["write"],
    pathArguments: ["path"],
    paths: (input) => [{ path: input.path, mode: "write" }],
    sandbox: namedSandbox,
    async run({ path: shown, content, append, mode: octal }, context) {
      const { signal } = context
      const data = bytesFrom(content, "content")
      const workspace = await context.workspace()
      const path = requirePath(shown, workspace, "path")
      const created = await isAbsent(workspace, path, signal)
      const mode = octal === undefined ? undefined : Number.parseInt(octal, 8)
      await workspace.writeFile(path, data, { append, mode, signal })
      const size = append ? (await workspace.stat(path, { signal })).size : data.length
      return { kind: "write", path: shown, bytes_written: data.length, size, created }
    },
    show: ({ path, bytes_written: bytes, size, created }) => {
      const now = size === bytes ? "" : `, which now has ${size}`
      return `Wrote ${bytes} bytes to ${path}${now}${created ? ", a new file" : ""}.`
    },
  })
}

async function isAbsent(workspace: Workspace, path: string, signal: AbortSignal): Promise<boolean> {
  try {
    const { type } = await workspace.stat(path, { signal })
    if (type === "other") throw new WorkspaceError("not-file", path)
    return false
  } catch (error) {
    if (error instanceof WorkspaceError && error.code === "not-found") return true
    throw error
  }
}
