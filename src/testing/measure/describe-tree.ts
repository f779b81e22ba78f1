import { createHash } from "node:crypto"
import type { Workspace } from "../../contract/index.ts"

/** Everything below a directory, one line each: type, permission bits, content or where a link leads, name. */
export async function describeTree(workspace: Workspace, path: string): Promise<string[]> {
  const lines: string[] = []
  for (const { name, type } of await workspace.readdir(path)) {
    const inner = `${path}/${name}`
    const shown = JSON.stringify(name)
    if (type === "symlink") {
      lines.push(`link to ${await targetOf(workspace, inner)}: ${shown}`)
      continue
    }
    const { mode } = await workspace.stat(inner)
    const bits = workspace.can.fileModes ? ` ${mode.toString(8)}` : ""
    if (type === "directory") {
      const below = await describeTree(workspace, inner)
      lines.push(`directory${bits}: ${shown}`, ...below.map((line) => `  ${line}`))
    } else {
      const content = await workspace.readFileBuffer(inner)
      lines.push(`${type}${bits} ${content.length} ${digest(content)}: ${shown}`)
    }
  }
  return lines
}

async function targetOf(workspace: Workspace, link: string): Promise<string> {
  const { stdout } = await workspace.exec('readlink "$LINK"', { env: { LINK: link } })
  return stdout.trimEnd()
}

export function digest(content: Uint8Array): string {
  return createHash("sha256").update(content).digest("hex").slice(0, 16)
}
